import { execute, maybeOne, type Queryable, type Sql, sql } from '../../database.ts';
import type { Role } from '../../enums.ts';
import type { AccountStatus } from './accounts.ts';

export interface MembershipRow {
  id: string;
  person_id: string;
  account_id: string;
  role: Role;
  created_at: Date;
}

/** Condition on `memberships`: the person's role in the account allows more than reading. */
export const actsFor = (personId: Sql, accountId: Sql): Sql =>
  sql`memberships.person_id = ${personId} and memberships.account_id = ${accountId}
    and memberships.role in ('owner', 'operator')`;

export async function insertMembership(db: Queryable, membership: MembershipRow): Promise<void> {
  await execute(
    db,
    sql`insert into memberships (id, person_id, account_id, role, created_at)
        values (${membership.id}, ${membership.person_id}, ${membership.account_id}, ${membership.role},
          ${membership.created_at})`,
  );
}

export interface MemberOfRow {
  account_id: string;
  account_name: string;
  account_status: AccountStatus;
  role: Role;
}

/** Returns the accounts of a person that are not closed, oldest membership first. */
export function listAccountsOf(db: Queryable, personId: string): Promise<MemberOfRow[]> {
  return db.query<MemberOfRow>(sql`
    select a.id as account_id, a.name as account_name, a.status as account_status, m.role
    from memberships m join accounts a on a.id = m.account_id
    where m.person_id = ${personId} and a.status <> 'closed' order by m.id`);
}

/** Returns a person's membership in an account; undefined if there is none. */
export function findMembership(
  db: Queryable,
  personId: string,
  accountId: string,
): Promise<MembershipRow | undefined> {
  return maybeOne<MembershipRow>(
    db,
    sql`select id, person_id, account_id, role, created_at from memberships
        where person_id = ${personId} and account_id = ${accountId}`,
  );
}

/** A member with name, address and language. */
export interface MemberRow extends MembershipRow {
  email: string;
  name: string;
  locale: string;
}

const members = sql`
  select m.id, m.person_id, m.account_id, m.role, m.created_at, people.email, people.name, people.locale
  from memberships m join people on people.id = m.person_id`;

/** Lists the members of an account, oldest first. */
export function listMembers(db: Queryable, accountId: string): Promise<MemberRow[]> {
  return db.query<MemberRow>(sql`${members} where m.account_id = ${accountId} order by m.id`);
}

export function findMember(db: Queryable, accountId: string, id: string): Promise<MemberRow | undefined> {
  return maybeOne<MemberRow>(db, sql`${members} where m.account_id = ${accountId} and m.id = ${id}`);
}

export async function setRole(db: Queryable, id: string, role: Role): Promise<void> {
  await execute(db, sql`update memberships set role = ${role} where id = ${id}`);
}

export async function deleteMembership(db: Queryable, id: string): Promise<void> {
  await execute(db, sql`delete from memberships where id = ${id}`);
}

/**
 * Returns the ids of the rights that an account's members give, besides its API keys: the people and their sessions.
 */
export async function rightsOfMembers(db: Queryable, accountId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select person_id as id from memberships where account_id = ${accountId}
    union all
    select sessions.id from sessions join memberships m on m.person_id = sessions.person_id
    where m.account_id = ${accountId}`);
  return rows.map(({ id }) => id);
}
