import { type Queryable, type Sql, sql } from '../../database.ts';
import { actsFor } from './memberships.ts';
import { isLive } from './sessions.ts';

/** The right that a terminal or an agent run depends on: a key, a session or a person, each for one account. */
export interface Right {
  id: string;
  accountId: string;
}

/**
 * Returns which of these rights still allow more than reading. A key must be neither revoked nor expired, a session
 * must be live, the person or the session's person must have a role in the account that allows it, and the account must
 * be active.
 */
export async function readInForce(
  db: Queryable,
  rights: Right[],
  now: Date,
): Promise<(right: Right) => boolean> {
  const asked = [...new Map(rights.map((right) => [nameOf(right), right])).values()];
  if (asked.length === 0) return () => false;
  const rows = await db.query<{ id: string; account_id: string }>(sql`
    select asked.id, asked.account_id
    from unnest(${asked.map(({ id }) => id)}::text[], ${asked.map(({ accountId }) => accountId)}::text[])
      as asked (id, account_id)
    join accounts on accounts.id = asked.account_id and accounts.status = 'active'
    where ${keyInForce(now)} or ${sessionInForce(now)}
      or exists (select from memberships where ${actsFor(sql`asked.id`, sql`asked.account_id`)})`);
  const found = new Set(rows.map(({ id, account_id }) => nameOf({ id, accountId: account_id })));
  return (right) => found.has(nameOf(right));
}

/** Returns whether a single right still allows more than reading. */
export async function isInForce(db: Queryable, right: Right, now: Date): Promise<boolean> {
  return (await readInForce(db, [right], now))(right);
}

const nameOf = ({ id, accountId }: Right) => `${id} ${accountId}`;

const keyInForce = (now: Date): Sql => sql`exists (
  select from api_keys where api_keys.id = asked.id and api_keys.account_id = asked.account_id
    and revoked_at is null and (expires_at is null or expires_at > ${now}))`;

const sessionInForce = (now: Date): Sql => sql`exists (
  select from sessions where sessions.id = asked.id and ${isLive(now)} and exists (
    select from memberships where ${actsFor(sql`sessions.person_id`, sql`asked.account_id`)}))`;
