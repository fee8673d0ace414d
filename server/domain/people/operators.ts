import type { Transaction } from '../../db/database.ts';
import { deleteKnownDevicesOf } from '../../db/queries/access/known-devices.ts';
import { revokeMailTokens } from '../../db/queries/access/mail-tokens.ts';
import { deletePasskeysOf, isRemoved, setRemoved } from '../../db/queries/access/operators.ts';
import { findPersonByEmail, lockPerson, type PersonRow } from '../../db/queries/access/people.ts';
import { deleteOtherSessions } from '../../db/queries/access/sessions.ts';
import { deleteTotp } from '../../db/queries/access/totps.ts';
import type { Signals } from '../../db/signals.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { createPerson } from './create-person.ts';
import { issueMailToken } from './mail-tokens.ts';

interface Parts {
  clock: Clock;
  secrets: SecretBox;
  signals: Pick<Signals, 'accessEnded'>;
}

/** The secret of a link with which an operator signs in once, to set up their factors. */
export interface OperatorLink {
  personId: string;
  token: string;
  expiresAt: Date;
}

/** Gives an address access to the operator's pages; a removed operator comes back as the same person. */
export async function addOperator(tx: Transaction, parts: Parts, email: string): Promise<OperatorLink> {
  const there = await findPersonByEmail(tx, email, 'operator');
  if (there && !(await isRemoved(tx, there.id)))
    throw new ApiError('invalid_state', 'An operator with this address already exists.');
  const newcomer = { realm: 'operator' as const, email, name: '', locale: 'en' };
  const person =
    there ?? (await createPerson(tx, parts.clock, { ...newcomer, passwordHash: null, verified: true }));
  return startOver(tx, parts, person);
}

/**
 * Resets an operator's access: removes their credentials and sessions, so that the new link never bypasses an existing
 * second factor.
 */
export async function relinkOperator(tx: Transaction, parts: Parts, email: string): Promise<OperatorLink> {
  return startOver(tx, parts, await lockOperator(tx, email));
}

/** Ends an operator's access permanently; the log keeps their address. */
export async function removeOperator(tx: Transaction, parts: Parts, email: string): Promise<PersonRow> {
  const person = await lockOperator(tx, email);
  await takeAway(tx, parts, person.id, parts.clock.now());
  return person;
}

async function lockOperator(tx: Transaction, email: string): Promise<PersonRow> {
  const found = await findPersonByEmail(tx, email, 'operator');
  const person = found && (await lockPerson(tx, found.id));
  if (!person || (await isRemoved(tx, person.id))) throw notFound();
  return person;
}

async function startOver(tx: Transaction, parts: Parts, { id, email }: PersonRow): Promise<OperatorLink> {
  await lockPerson(tx, id);
  await takeAway(tx, parts, id, null);
  const link = { purpose: 'sign_in_link' as const, personId: id, email };
  const { token, expiresAt } = await issueMailToken(tx, parts, link);
  return { personId: id, token, expiresAt };
}

async function takeAway(
  tx: Transaction,
  { clock, signals }: Parts,
  id: string,
  removedAt: Date | null,
): Promise<void> {
  await setRemoved(tx, id, removedAt);
  await revokeMailTokens(tx, id, 'sign_in_link', clock.now());
  await deletePasskeysOf(tx, id);
  await deleteTotp(tx, id);
  for (const session of await deleteOtherSessions(tx, id, null)) await signals.accessEnded(tx, session);
  await deleteKnownDevicesOf(tx, id);
}
