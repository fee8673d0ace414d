import { execute, maybeOne, type Queryable, sql } from '../database.ts';
import type { Scope } from '../enums.ts';
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

/** A key with what its account may do. */
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

/** Revokes a key; an earlier revocation keeps its instant. Undefined when there is no such key. */
export function revokeKey(db: Queryable, id: string, at: Date): Promise<ApiKeyRow | undefined> {
  return maybeOne<ApiKeyRow>(
    db,
    sql`update api_keys set revoked_at = coalesce(revoked_at, ${at}) where id = ${id} returning ${columns}`,
  );
}

/** Writes many last-used instants in one statement; an instant never goes back. In order of the ids, as nodes do so at once. */
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
