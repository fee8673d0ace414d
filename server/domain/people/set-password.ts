import type { Transaction } from '../../db/database.ts';
import { deleteKnownDevicesOf } from '../../db/queries/access/known-devices.ts';
import { revokeMailTokens } from '../../db/queries/access/mail-tokens.ts';
import { updatePerson } from '../../db/queries/access/people.ts';
import { deleteOtherSessions } from '../../db/queries/access/sessions.ts';
import type { Signals } from '../../db/signals.ts';
import type { Clock } from '../../platform/clock.ts';

/**
 * Sets the password of a locked person. Sessions of the old password end, and links to reset it or to change the
 * address stop working, because a thief may have requested them. All known devices are forgotten; the caller may
 * remember the one in use again.
 */
export async function setPassword(
  tx: Transaction,
  { clock, signals }: { clock: Clock; signals: Signals },
  {
    personId,
    passwordHash,
    keepSession,
  }: { personId: string; passwordHash: string; keepSession: string | null },
): Promise<void> {
  await updatePerson(tx, personId, { password_hash: passwordHash });
  await revokeMailTokens(tx, personId, 'reset_password', clock.now());
  await revokeMailTokens(tx, personId, 'sign_in_link', clock.now());
  await revokeMailTokens(tx, personId, 'change_email', clock.now());
  for (const id of await deleteOtherSessions(tx, personId, keepSession)) await signals.accessEnded(tx, id);
  await deleteKnownDevicesOf(tx, personId);
}
