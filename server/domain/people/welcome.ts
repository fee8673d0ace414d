import type { Transaction } from '../../db/database.ts';
import type { MailTokenRow } from '../../db/queries/mail-tokens.ts';
import { findPersonByEmail } from '../../db/queries/people.ts';
import type { Clock } from '../../platform/clock.ts';
import { createAccount } from '../accounts/create-account.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { recordAudit } from './audit.ts';
import { addMember, createPerson } from './create-person.ts';
import { linkInvalid } from './mail-tokens.ts';

/** Creates a person whose address is known to be theirs now, with an account of their own. */
export async function welcome(
  tx: Transaction,
  { clock, catalog }: { clock: Clock; catalog: Catalog },
  { email, newcomer }: MailTokenRow,
  ip: string,
): Promise<void> {
  // Two sign-ups with one address: the first link that is opened wins.
  if (!newcomer || (await findPersonByEmail(tx, email))) throw linkInvalid();
  const { name, locale, password_hash: passwordHash } = newcomer;
  const { id: personId } = await createPerson(tx, clock, {
    email,
    name,
    locale,
    passwordHash,
    verified: true,
  });
  const account = { name: name || email, currency: catalog.currency, limits: {} };
  const { id: accountId } = await createAccount(tx, clock, account);
  await addMember(tx, clock, { personId, accountId, role: 'owner' });
  await recordAudit(tx, clock, { accountId, personId, action: 'account.created', subjectId: accountId, ip });
}
