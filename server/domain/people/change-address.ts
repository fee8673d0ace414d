import type { Transaction } from '../../db/database.ts';
import { revokeMailTokens } from '../../db/queries/access/mail-tokens.ts';
import { findPersonByEmail, type PersonRow, updatePerson } from '../../db/queries/access/people.ts';
import type { Clock } from '../../platform/clock.ts';
import { recordAudit } from './audit.ts';

const UNIQUE_VIOLATION = '23505';

/**
 * Changes the address of a locked person to one that a link has proved to be theirs. Returns the person as they were
 * before, whose old address is notified. Returns undefined if another person has the address by now; the caller must
 * then refuse, because the transaction may be aborted.
 */
export async function changeAddress(
  tx: Transaction,
  { clock }: { clock: Clock },
  { person, email, ip }: { person: PersonRow; email: string; ip: string },
): Promise<PersonRow | undefined> {
  const holder = await findPersonByEmail(tx, email);
  if (holder && holder.id !== person.id) return undefined;
  try {
    await updatePerson(tx, person.id, { email });
  } catch (error) {
    // Someone else requested the same address at this moment and was first; this transaction is aborted.
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
  // Links sent to the old address must no longer work.
  await revokeMailTokens(tx, person.id, 'reset_password', clock.now());
  await revokeMailTokens(tx, person.id, 'sign_in_link', clock.now());
  // An earlier request for another change must not undo this one.
  await revokeMailTokens(tx, person.id, 'change_email', clock.now());
  await recordAudit(tx, clock, {
    accountId: null,
    personId: person.id,
    action: 'person.email_changed',
    ip,
  });
  return person;
}
