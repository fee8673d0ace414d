import type { Transaction } from '../../db/database.ts';
import { type ApiKeyRow, revokeKeysOfPerson } from '../../db/queries/access/api-keys.ts';
import type { Signals } from '../../db/signals.ts';
import type { Clock } from '../../platform/clock.ts';
import { recordAudit } from './audit.ts';

/**
 * Revokes the keys that anyone who knew a person's password could have created or seen. Returns those that were valid
 * until now.
 */
export async function revokeKeysOf(
  tx: Transaction,
  { clock, signals }: { clock: Clock; signals: Signals },
  { personId, now, ip }: { personId: string; now: Date; ip: string },
): Promise<ApiKeyRow[]> {
  const revoked = await revokeKeysOfPerson(tx, personId, now);
  for (const { id, account_id: accountId, name } of revoked) {
    await signals.accessEnded(tx, id);
    const entry = { action: 'key.revoked' as const, subjectId: id, details: { label: name } };
    await recordAudit(tx, clock, { accountId, personId, ...entry, ip });
  }
  return revoked;
}
