import type { Transaction } from '../../../db/database.ts';
import { countFactors } from '../../../db/queries/access/factors.ts';
import type { PersonRow } from '../../../db/queries/access/people.ts';
import type { PanelServices } from '../../../http/services.ts';
import { ApiError } from '../../../platform/errors.ts';

/** Refuses to remove an operator's last second factor: without one they could not sign in again. */
export async function requireOtherFactor(
  tx: Transaction,
  { realm }: PanelServices,
  person: PersonRow | undefined,
  removed: 'totp' | 'passkey',
): Promise<void> {
  if (realm.realm !== 'operator' || !person) return;
  const { totp, passkeys } = await countFactors(tx, person.id);
  const hasApp = totp && person.password_hash !== null;
  if (removed === 'totp' ? passkeys > 0 : passkeys > 1 || hasApp) return;
  throw new ApiError('invalid_state', 'This is your only second factor. Add another one first.');
}
