import type { Transaction } from '../../db/database.ts';
import type { Role } from '../../db/enums.ts';
import { insertMembership } from '../../db/queries/access/memberships.ts';
import { insertPerson, type PersonRow, type Realm } from '../../db/queries/access/people.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';

export interface NewPerson {
  /** Defaults to a customer. */
  realm?: Realm;
  /** As returned by `parseMailAddress`. */
  email: string;
  name: string;
  locale: string;
  passwordHash: string | null;
  /** True if the address is known to be theirs. */
  verified: boolean;
}

/** Creates a person who can sign in but is not yet a member of any account. */
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
  // If two requests come at once, only one creates the person.
  if (!(await insertPerson(tx, row)))
    throw new ApiError('invalid_state', 'A person with this address already exists.');
  return row;
}

/** Makes a person a member of an account. They must not be one already. */
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
