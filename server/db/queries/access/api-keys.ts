import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';
import type { Scope } from '../../enums.ts';
import { type Page, pageOf } from '../page.ts';
import type { AccountStatus } from './accounts.ts';

export interface ApiKeyRow {
  id: string;
  account_id: string;
  name: string;
  hint: string;
  scopes: Scope[];
  allow_cidrs: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

const columns = sql`id, account_id, name, hint, scopes, allow_cidrs, expires_at, revoked_at, last_used_at, created_at`;

/** A key with the status of its account, which limits what the key may do. */
export interface PresentedKeyRow extends ApiKeyRow {
  account_status: AccountStatus;
}

export function findKeyByHash(db: Queryable, hash: Uint8Array): Promise<PresentedKeyRow | undefined> {
  return maybeOne<PresentedKeyRow>(
    db,
    sql`select ${columns}, (select status from accounts where accounts.id = account_id) as account_status
      from api_keys where hash = ${hash}`,
  );
}

export async function insertKey(
  db: Queryable,
  key: Omit<ApiKeyRow, 'revoked_at' | 'last_used_at'>,
  hash: Uint8Array,
) {
  await execute(
    db,
    sql`
    insert into api_keys (id, account_id, name, hash, hint, scopes, allow_cidrs, expires_at, created_at)
    values (${key.id}, ${key.account_id}, ${key.name}, ${hash}, ${key.hint}, ${key.scopes}, ${key.allow_cidrs},
      ${key.expires_at}, ${key.created_at})`,
  );
}

export function listKeys(db: Queryable, accountId: string): Promise<ApiKeyRow[]> {
  return db.query<ApiKeyRow>(
    sql`select ${columns} from api_keys where account_id = ${accountId} order by id desc`,
  );
}

/** Revokes a key; an earlier revocation keeps its time. Undefined if there is no such key. */
export function revokeKey(db: Queryable, id: string, at: Date): Promise<ApiKeyRow | undefined> {
  return maybeOne<ApiKeyRow>(
    db,
    sql`update api_keys set revoked_at = coalesce(revoked_at, ${at}) where id = ${id} returning ${columns}`,
  );
}

/**
 * Revokes the working keys of the accounts that a person owns, and the keys that the person created in accounts where
 * they have another role, as far as the audit log goes back.
 */
export function revokeKeysOfPerson(db: Queryable, personId: string, now: Date): Promise<ApiKeyRow[]> {
  return db.query<ApiKeyRow>(sql`
    with live as (
      select api_keys.id from api_keys
      join memberships m on m.account_id = api_keys.account_id and m.person_id = ${personId}
      where revoked_at is null and (expires_at is null or expires_at > ${now})
        and (m.role = 'owner' or exists (
          select from audit_entries a
          where a.person_id = m.person_id and a.action = 'key.created' and a.subject_id = api_keys.id))
      order by api_keys.id for no key update of api_keys
    )
    update api_keys set revoked_at = ${now} where id in (select id from live) returning ${columns}`);
}

/**
 * Writes many last-used times in one statement; a time never moves backwards. Locks in order of id, because several
 * nodes do this at once.
 */
export async function recordKeyUse(db: Queryable, uses: { id: string; at: Date }[]): Promise<void> {
  await execute(
    db,
    sql`
    with used as (
      select * from jsonb_to_recordset(${JSON.stringify(uses)}::text::jsonb) as used (id text, at timestamptz)
    ), locked as (
      select id from api_keys where id in (select id from used) order by id for no key update
    )
    update api_keys set last_used_at = greatest(last_used_at, used.at)
    from used join locked on locked.id = used.id where api_keys.id = used.id`,
  );
}

/** Returns a page of an account's keys, newest first. */
export function listKeysPage(db: Queryable, accountId: string, page: Page): Promise<ApiKeyRow[]> {
  return db.query<ApiKeyRow>(
    sql`select ${columns} from api_keys where account_id = ${accountId} ${pageOf(sql`id`, page)}`,
  );
}

export function findKey(db: Queryable, accountId: string, id: string): Promise<ApiKeyRow | undefined> {
  return maybeOne<ApiKeyRow>(
    db,
    sql`select ${columns} from api_keys where id = ${id} and account_id = ${accountId}`,
  );
}

/** Counts the keys of an account that have neither expired nor been revoked. */
export async function countLiveKeys(db: Queryable, accountId: string, now: Date): Promise<number> {
  const { n } = await one<{ n: number }>(
    db,
    sql`select count(*)::int as n from api_keys where account_id = ${accountId} and revoked_at is null
          and (expires_at is null or expires_at > ${now})`,
  );
  return n;
}

/** A key that expires soon, with an owner of its account who has not been notified. */
export interface ExpiringKeyRow {
  id: string;
  account_id: string;
  account_name: string;
  name: string;
  hint: string;
  expires_at: Date;
  person_id: string;
  email: string;
  locale: string;
}

/**
 * Lists keys that expire between `now` and `until`, with each owner for whom the notice mail has not been written. Keys
 * whose whole lifetime is less than twice that span were meant to be short-lived and get no notice.
 */
export function listExpiringKeys(
  db: Queryable,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<ExpiringKeyRow[]> {
  return db.query<ExpiringKeyRow>(sql`
    select k.id, k.account_id, a.name as account_name, k.name, k.hint, k.expires_at, p.id as person_id, p.email, p.locale
    from api_keys k
    join accounts a on a.id = k.account_id and a.status <> 'closed'
    join memberships m on m.account_id = k.account_id and m.role = 'owner'
    join people p on p.id = m.person_id
    where k.revoked_at is null and k.expires_at > ${now} and k.expires_at <= ${until}
      and k.expires_at - k.created_at >= 2 * (${until}::timestamptz - ${now}::timestamptz)
      and not exists (select from mails where dedupe_key = ${KEY_EXPIRY} || ' ' || k.id || ' ' || p.id)
    order by k.id, p.id limit ${limit}`);
}

/** Prefix of the mail's dedupe key, followed by the ids of the API key and the person. */
export const KEY_EXPIRY = 'key_expiry';
