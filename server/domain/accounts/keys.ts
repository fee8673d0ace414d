import { generateKey, hashKey, keyHint } from '../../access/api-key.ts';
import type { Scope } from '../../access/scopes.ts';
import type { Transaction } from '../../db/database.ts';
import { type ApiKeyRow, insertKey } from '../../db/queries/access/api-keys.ts';
import { parseNetwork } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';

export interface NewKey {
  accountId: string;
  name: string;
  scopes: Scope[];
  /** Null if the key is valid until revoked. */
  expiresAt: Date | null;
  /** CIDRs that calls may come from; empty means from anywhere. */
  allowCidrs: string[];
}

export type KeyStatus = 'active' | 'expired' | 'revoked';

/**
 * Creates a key for an existing account. Its text is only returned here: the database stores a hash. Given the
 * installation's secrets, the key can later be recognized without a database lookup.
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

/** Returns the status of a key at `now`. A revoked key stays revoked after it expires. */
export function keyStatus(key: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>, now: Date): KeyStatus {
  if (key.revoked_at) return 'revoked';
  return key.expires_at && key.expires_at <= now ? 'expired' : 'active';
}

/** Parses `text` (RFC 3339), the field `expires_at`, as an instant in the future. */
export function expiry(text: string, now: Date): Date {
  const instant = new Date(text);
  // Also false for an instant that Date cannot represent, such as a leap second.
  if (instant > now) return instant;
  throw invalidField('expires_at', 'in_the_past', 'must be an instant in the future');
}

/** Returns a list of CIDRs and single addresses as CIDRs without duplicates. `list` is the list's name in errors. */
export function allowList(entries: readonly string[], list = 'allow_cidrs'): string[] {
  const cidrs = entries.map((entry, index) => {
    const cidr = parseNetwork(entry);
    const field = `${list}.${index}`;
    if (!cidr)
      throw invalidField(field, 'invalid_format', 'must be an address or a network such as 203.0.113.0/24');
    if (cidr.hasHostBits)
      throw invalidField(field, 'invalid_format', 'has bits set to the right of its prefix');
    return cidr.text;
  });
  return [...new Set(cidrs)];
}
