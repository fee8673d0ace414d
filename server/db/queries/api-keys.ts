import type { Scope } from '../../platform/scopes.ts';
import { maybeOne, type Queryable, sql } from '../database.ts';

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

export function findKeyByHash(db: Queryable, hash: Uint8Array): Promise<ApiKeyRow | undefined> {
  return maybeOne<ApiKeyRow>(db, sql`select ${columns} from api_keys where hash = ${hash}`);
}

export async function insertKey(
  db: Queryable,
  key: Omit<ApiKeyRow, 'revoked_at' | 'last_used_at'>,
  hash: Uint8Array,
) {
  await db.query(sql`
    insert into api_keys (id, account_id, name, hash, hint, scopes, allow_cidrs, expires_at, created_at)
    values (${key.id}, ${key.account_id}, ${key.name}, ${hash}, ${key.hint}, ${key.scopes}, ${key.allow_cidrs},
      ${key.expires_at}, ${key.created_at})`);
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

/** Whether a key still opens anything. */
export async function isKeyGood(db: Queryable, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from api_keys where id = ${id} and revoked_at is null and (expires_at is null or expires_at > ${now})`);
  return rows.length > 0;
}

/** Writes many last-used instants in one statement; an instant never goes back. */
export async function recordKeyUse(db: Queryable, uses: { id: string; at: Date }[]): Promise<void> {
  await db.query(sql`
    update api_keys set last_used_at = greatest(last_used_at, used.at)
    from jsonb_to_recordset(${JSON.stringify(uses)}::text::jsonb) as used (id text, at timestamptz)
    where api_keys.id = used.id`);
}
