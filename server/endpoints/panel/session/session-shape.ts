import { ROLE_SCOPES, ROLES } from '../../../access/roles.ts';
import { ALL_SCOPES } from '../../../access/scopes.ts';
import type { ActiveSession } from '../../../access/sessions.ts';
import type { Queryable } from '../../../db/database.ts';
import { countFactors } from '../../../db/queries/access/factors.ts';
import { listAccountsOf } from '../../../db/queries/access/memberships.ts';
import { findPerson, type PersonRow } from '../../../db/queries/access/people.ts';
import { CONFIRM_MINUTES } from '../../../http/endpoint.ts';
import { Count, Enum, Id, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { VERSION } from '../../../platform/version.ts';

const RoleShape = Enum(ROLES, { $id: 'Role', description: 'Role of a person in an account' });

const AccountShape = Shape(
  {
    id: Id('acc'),
    name: Type.String(),
    suspended: Type.Boolean({
      description: 'True if the operator has suspended it, so that it can only be viewed',
    }),
    role: RoleShape,
  },
  { $id: 'AccountOfPerson', description: 'An account of which a person is a member' },
);

export const PersonShape = Shape(
  {
    id: Id('prs'),
    email: Type.String(),
    name: Nullable(Type.String()),
    locale: Enum(['en', 'de']),
    email_verified_at: Nullable(Timestamp()),
    created_at: Timestamp(),
  },
  { $id: 'Person', description: 'A person who can sign in' },
);

export const SessionShape = Shape(
  {
    id: Id('ses'),
    person: PersonShape,
    account: Nullable(AccountShape),
    role: Nullable(RoleShape),
    scopes: Type.Array(Enum(ALL_SCOPES), { description: 'Permissions of the role in the account shown' }),
    accounts: Type.Array(AccountShape, { description: 'All accounts of which the person is a member' }),
    confirmed_until: Nullable(
      Timestamp('Until when dangerous actions need no new sign-in; null if they need one'),
    ),
    factors: Shape({
      password: Type.Boolean(),
      totp: Type.Boolean(),
      passkeys: Count('Passkeys'),
      recovery_codes: Count('Number of remaining recovery codes'),
    }),
    version: Type.String({
      description: 'The version of the service; only people who have signed in see it',
    }),
  },
  { $id: 'Session', description: 'The signed-in person and the account shown' },
);

export async function presentSession(db: Queryable, session: ActiveSession, now: Date) {
  const { personId, place, confirmedAt } = session;
  const [person, memberships, factors] = await Promise.all([
    findPerson(db, personId),
    listAccountsOf(db, personId),
    countFactors(db, personId),
  ]);
  if (!person) throw notFound();
  const accounts = memberships.map(({ account_id, account_name, account_status, role }) => ({
    id: account_id,
    name: account_name,
    suspended: account_status !== 'active',
    role,
  }));
  const until = confirmedAt && new Date(confirmedAt.getTime() + CONFIRM_MINUTES * 60_000);
  return {
    id: session.id,
    person: presentPerson(person),
    account: accounts.find(({ id }) => id === place?.accountId) ?? null,
    role: place?.role ?? null,
    scopes: place ? [...ROLE_SCOPES[place.role]] : [],
    accounts,
    confirmed_until: until && until > now ? until : null,
    factors: { password: person.password_hash !== null, ...factors },
    version: VERSION,
  };
}

export function presentPerson({ id, email, name, locale, email_verified_at, created_at }: PersonRow) {
  return { id, email, name: name || null, locale, email_verified_at, created_at };
}
