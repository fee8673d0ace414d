import { execute, maybeOne, type Queryable, type Sql, sql } from '../../database.ts';
import type { Role } from '../../enums.ts';
import { deleteSome } from '../service/purge.ts';
import type { AccountStatus } from './accounts.ts';
import type { Realm } from './people.ts';

export type SessionStage = 'second_factor' | 'signed_in';

export interface SessionRow {
  id: string;
  person_id: string;
  account_id: string | null;
  stage: SessionStage;
  ip: string;
  user_agent: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  /** The session ends after this long without use, so that an abandoned browser does not stay signed in. */
  idle_seconds: number;
  confirmed_at: Date | null;
}

/** Condition on `sessions`: the session has not ended and has passed all factors. */
export const isLive = (now: Date): Sql => sql`sessions.stage = 'signed_in' and ${isOpen(now)}`;

const isOpen = (now: Date): Sql => sql`sessions.expires_at > ${now}
  and sessions.last_seen_at + sessions.idle_seconds * interval '1 second' > ${now}`;

const columns = sql`sessions.id, sessions.person_id, sessions.account_id, stage, ip, user_agent, sessions.created_at,
  last_seen_at, expires_at, idle_seconds, confirmed_at`;

export async function insertSession(db: Queryable, session: SessionRow, hash: Uint8Array): Promise<void> {
  await execute(
    db,
    sql`insert into sessions (id, person_id, account_id, hash, stage, ip, user_agent, created_at, last_seen_at,
          expires_at, idle_seconds, confirmed_at)
        values (${session.id}, ${session.person_id}, ${session.account_id}, ${hash}, ${session.stage}, ${session.ip},
          ${session.user_agent}, ${session.created_at}, ${session.last_seen_at}, ${session.expires_at},
          ${session.idle_seconds}, ${session.confirmed_at})`,
  );
}

/** Ends a person's oldest sessions of a stage beyond the `most` newest; returns their ids. */
export async function deleteSessionsBeyond(
  db: Queryable,
  { personId, stage, most }: { personId: string; stage: SessionStage; most: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    delete from sessions where id in (
      select id from sessions where person_id = ${personId} and stage = ${stage}
      order by id desc offset ${most}) returning id`);
  return rows.map(({ id }) => id);
}

/** A session with its person's role in the account that it shows; both null if there is no account. */
export interface PresentedSessionRow extends SessionRow {
  email: string;
  /** True if the person can sign in with two factors: with a passkey, or with a password and an authenticator app. */
  is_enrolled: boolean;
  role: Role | null;
  account_status: AccountStatus | null;
}

/** Returns the session that a secret opens, if it has not ended and its person belongs to the realm. */
export function findSessionByHash(
  db: Queryable,
  hash: Uint8Array,
  realm: Realm,
  now: Date,
): Promise<PresentedSessionRow | undefined> {
  return maybeOne<PresentedSessionRow>(
    db,
    sql`select ${columns}, memberships.role, accounts.status as account_status, people.email,
          exists (select from passkeys where passkeys.person_id = people.id)
            or people.password_hash is not null and exists (
              select from totps where totps.person_id = people.id and totps.confirmed_at is not null) as is_enrolled
        from sessions
        join people on people.id = sessions.person_id and people.realm = ${realm} and people.removed_at is null
        left join memberships on memberships.person_id = sessions.person_id
          and memberships.account_id = sessions.account_id
        left join accounts on accounts.id = memberships.account_id and accounts.status <> 'closed'
        where sessions.hash = ${hash} and ${isOpen(now)}`,
  );
}

export async function touchSession(db: Queryable, id: string, now: Date): Promise<void> {
  await execute(db, sql`update sessions set last_seen_at = greatest(last_seen_at, ${now}) where id = ${id}`);
}

/** Ends a session of a person; returns whether there was one. */
export async function deleteSession(db: Queryable, personId: string, id: string): Promise<boolean> {
  const rows = await db.query(
    sql`delete from sessions where id = ${id} and person_id = ${personId} returning id`,
  );
  return rows.length > 0;
}

/** Returns the live sessions of a person, newest first. */
export function listSessions(db: Queryable, personId: string, now: Date): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    sql`select ${columns} from sessions where person_id = ${personId} and ${isLive(now)} order by id desc`,
  );
}

/** Ends all sessions of a person except one; returns their ids. */
export async function deleteOtherSessions(
  db: Queryable,
  personId: string,
  keep: string | null,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`delete from sessions where person_id = ${personId} and id is distinct from ${keep} returning id`,
  );
  return rows.map(({ id }) => id);
}

/** Records that the holder of a session has just proved their identity. */
export async function confirmSession(db: Queryable, id: string, now: Date): Promise<void> {
  await execute(db, sql`update sessions set confirmed_at = ${now} where id = ${id}`);
}

export async function setSessionAccount(db: Queryable, id: string, accountId: string): Promise<void> {
  await execute(db, sql`update sessions set account_id = ${accountId} where id = ${id}`);
}

export async function deleteSessionsBefore(db: Queryable, now: Date, limit: number): Promise<number> {
  const where = sql`expires_at < ${now} or last_seen_at + idle_seconds * interval '1 second' < ${now}`;
  return deleteSome(db, { table: sql`sessions`, where, order: sql`expires_at` }, limit);
}

/** Returns whether a session is live and its person is a member of the account. */
export async function isInAccount(db: Queryable, id: string, accountId: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    select from sessions join memberships on memberships.person_id = sessions.person_id
    join accounts on accounts.id = memberships.account_id and accounts.status <> 'closed'
    where sessions.id = ${id} and memberships.account_id = ${accountId} and ${isLive(now)}`);
  return rows.length > 0;
}

/** Returns the ids of a person's sessions in any state. */
export async function sessionIdsOf(db: Queryable, personId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`select id from sessions where person_id = ${personId}`);
  return rows.map(({ id }) => id);
}
