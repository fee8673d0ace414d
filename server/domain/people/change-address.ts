import type { Transaction } from '../../db/database.ts';
import { revokeMailTokens } from '../../db/queries/mail-tokens.ts';
import { findPersonByEmail, type PersonRow, updatePerson } from '../../db/queries/people.ts';
import type { Clock } from '../../platform/clock.ts';
import { recordAudit } from './audit.ts';

const UNIQUE_VIOLATION = '23505';

/**
 * Gives a person, who is locked, the address that a link has proved to be theirs; who they were before, whose address learns of it.
 * Undefined where another person has it by now, after which the caller refuses: the transaction may be over.
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
    // Who else asks for it at this moment was first; nothing of this transaction stays.
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
  // What was sent to the old address must not open anything any more.
  await revokeMailTokens(tx, person.id, 'reset_password', clock.now());
  await revokeMailTokens(tx, person.id, 'sign_in_link', clock.now());
  // Nor must another change that was asked for before undo this one.
  await revokeMailTokens(tx, person.id, 'change_email', clock.now());
  await recordAudit(tx, clock, {
    accountId: null,
    personId: person.id,
    action: 'person.email_changed',
    ip,
  });
  return person;
}
