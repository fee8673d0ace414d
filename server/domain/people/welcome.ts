import type { Transaction } from '../../db/database.ts';
import { findPersonByEmail, type PersonRow } from '../../db/queries/access/people.ts';
import type { Clock } from '../../platform/clock.ts';
import { createAccount } from '../accounts/create-account.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { recordAudit } from './audit.ts';
import { addMember, createPerson, type NewPerson } from './create-person.ts';
import { linkInvalid } from './mail-tokens.ts';

/** A person who signs up: their address is known to be theirs, and they have chosen the password themselves. */
export type Newcomer = Required<Pick<NewPerson, 'email' | 'name' | 'locale' | 'passwordHash'>>;

/** Creates a person with their own account. */
export async function welcome(
  tx: Transaction,
  { clock, catalog }: { clock: Clock; catalog: Catalog },
  newcomer: Newcomer,
  ip: string,
): Promise<PersonRow> {
  const { name, email } = newcomer;
  // If two people sign up with the same address, the first to finish wins.
  if (await findPersonByEmail(tx, email)) throw linkInvalid('taken');
  const person = await createPerson(tx, clock, { ...newcomer, verified: true });
  const { id: personId } = person;
  const account = { name: name || email, currency: catalog.currency, limits: {} };
  const { id: accountId } = await createAccount(tx, clock, account);
  await addMember(tx, clock, { personId, accountId, role: 'owner' });
  await recordAudit(tx, clock, { accountId, personId, action: 'account.created', subjectId: accountId, ip });
  return person;
}
