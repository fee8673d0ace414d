import type { Transaction } from '../../db/database.ts';
import type { Role } from '../../db/enums.ts';
import { insertMembership } from '../../db/queries/memberships.ts';
import { insertPerson, type PersonRow, type Realm } from '../../db/queries/people.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';

export interface NewPerson {
  /** A customer when absent. */
  realm?: Realm;
  /** As `parseMailAddress` gives it. */
  email: string;
  name: string;
  locale: string;
  passwordHash: string | null;
  /** Whether it is known that the address is theirs. */
  verified: boolean;
}

/** Creates a person who can sign in, and is in no account yet. */
export async function createPerson(tx: Transaction, clock: Clock, person: NewPerson): Promise<PersonRow> {
  const now = clock.now();
  const row: PersonRow = {
    id: newId('prs', clock),
    realm: person.realm ?? 'customer',
    email: person.email,
    email_verified_at: person.verified ? now : null,
    name: person.name,
    locale: person.locale,
    password_hash: person.passwordHash,
    created_at: now,
  };
  // Of two at once one is made.
  if (!(await insertPerson(tx, row)))
    throw new ApiError('invalid_state', 'There is a person with this address already.');
  return row;
}

/** Makes a person a member of an account that they are not in. */
export async function addMember(
  tx: Transaction,
  clock: Clock,
  { personId, accountId, role }: { personId: string; accountId: string; role: Role },
): Promise<string> {
  const id = newId('mbr', clock);
  await insertMembership(tx, {
    id,
    person_id: personId,
    account_id: accountId,
    role,
    created_at: clock.now(),
  });
  return id;
}
