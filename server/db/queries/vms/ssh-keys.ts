import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';
import { ifGiven } from '../filters.ts';
import { type Page, pageOf } from '../page.ts';

export interface SshKeyRow {
  id: string;
  account_id: string;
  name: string;
  /** "SHA256:…", unique in its account. */
  fingerprint: string;
  algorithm: string;
  /** One authorized_keys line. */
  public_key: string;
  created_at: Date;
}

const columns = sql`id, account_id, name, fingerprint, algorithm, public_key, created_at`;

export async function insertSshKey(db: Queryable, key: SshKeyRow): Promise<void> {
  await execute(
    db,
    sql`
    insert into ssh_keys (id, account_id, name, fingerprint, algorithm, public_key, created_at)
    values (${key.id}, ${key.account_id}, ${key.name}, ${key.fingerprint}, ${key.algorithm}, ${key.public_key},
      ${key.created_at})`,
  );
}

export function listSshKeys(
  db: Queryable,
  accountId: string,
  filter: { fingerprint?: string },
  page: Page,
): Promise<SshKeyRow[]> {
  const { fingerprint } = filter;
  return db.query<SshKeyRow>(sql`
    select ${columns} from ssh_keys where account_id = ${accountId}
      and ${ifGiven(fingerprint, (given) => sql`fingerprint = ${given}`)} ${pageOf(sql`id`, page)}`);
}

/** Returns those of the given keys that the account has, in no particular order. */
export function findSshKeys(db: Queryable, accountId: string, ids: string[]): Promise<SshKeyRow[]> {
  return db.query<SshKeyRow>(
    sql`select ${columns} from ssh_keys where account_id = ${accountId} and id = any(${ids}::text[])`,
  );
}

/**
 * Returns a key of the account and locks it until the transaction ends, so that only one of two concurrent deletions
 * finds it.
 */
export function lockSshKey(db: Queryable, accountId: string, id: string): Promise<SshKeyRow | undefined> {
  return maybeOne<SshKeyRow>(
    db,
    sql`select ${columns} from ssh_keys where account_id = ${accountId} and id = ${id} for no key update`,
  );
}

export function findSshKeyByFingerprint(
  db: Queryable,
  accountId: string,
  fingerprint: string,
): Promise<SshKeyRow | undefined> {
  return maybeOne<SshKeyRow>(
    db,
    sql`select ${columns} from ssh_keys where account_id = ${accountId} and fingerprint = ${fingerprint}`,
  );
}

export async function countSshKeys(db: Queryable, accountId: string): Promise<number> {
  const { n } = await one<{ n: number }>(
    db,
    sql`select count(*)::int as n from ssh_keys where account_id = ${accountId}`,
  );
  return n;
}

/** Deletes a stored key; VMs that it was attached to keep it. */
export async function deleteSshKeyRow(db: Queryable, id: string): Promise<void> {
  await execute(db, sql`delete from ssh_keys where id = ${id}`);
}
