import { isIP } from 'node:net';
import { generateKey, hashKey, keyHint } from '../../access/api-key.ts';
import type { Scope } from '../../access/scopes.ts';
import type { Transaction } from '../../db/database.ts';
import { type ApiKeyRow, insertKey } from '../../db/queries/api-keys.ts';
import { normalizeIp, parseCidr } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';

export interface NewKey {
  accountId: string;
  name: string;
  scopes: Scope[];
  /** Null: until revoked. */
  expiresAt: Date | null;
  /** CIDRs that calls may come from; empty means from anywhere. */
  allowCidrs: string[];
}

export type KeyStatus = 'active' | 'expired' | 'revoked';

/**
 * Makes a key of an existing account. Its text is returned here and nowhere else: only a hash is stored. With the
 * installation's secrets it is known again without a look-up.
 */
export async function createKey(
  tx: Transaction,
  clock: Clock,
  { accountId, name, scopes, expiresAt, allowCidrs }: NewKey,
  secrets?: SecretBox,
): Promise<{ key: string; row: ApiKeyRow }> {
  const key = generateKey(secrets);
  const row: ApiKeyRow = {
    id: newId('apk', clock),
    account_id: accountId,
    name,
    hint: keyHint(key),
    scopes,
    allow_cidrs: allowCidrs,
    expires_at: expiresAt,
    revoked_at: null,
    last_used_at: null,
    created_at: clock.now(),
  };
  await insertKey(tx, row, hashKey(key));
  return { key, row };
}

/** What a key is good for at `now`. A revoked key stays revoked when it expires. */
export function keyStatus(key: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>, now: Date): KeyStatus {
  if (key.revoked_at) return 'revoked';
  return key.expires_at && key.expires_at <= now ? 'expired' : 'active';
}

/** The instant in the future that `text` (RFC 3339) names, for the field `expires_at`. */
export function expiry(text: string, now: Date): Date {
  const instant = new Date(text);
  // Also false for an instant that Date does not know, such as a leap second.
  if (instant > now) return instant;
  throw invalidField('expires_at', 'not_in_future', 'must be an instant in the future');
}

/** CIDRs and single addresses of a list, which `list` is the name of, as CIDRs, each once. */
export function allowList(entries: readonly string[], list = 'allow_cidrs'): string[] {
  const cidrs = entries.map((entry, index) => {
    const ip = normalizeIp(entry);
    const text = isIP(ip) === 0 ? entry : `${ip}/${isIP(ip) === 4 ? 32 : 128}`;
    const cidr = parseCidr(text);
    const field = `${list}.${index}`;
    if (!cidr) throw invalidField(field, 'cidr', 'must be an address or a CIDR such as 203.0.113.0/24');
    if (cidr.hasHostBits) throw invalidField(field, 'host_bits', 'has bits set right of its prefix');
    return text;
  });
  return [...new Set(cidrs)];
}
