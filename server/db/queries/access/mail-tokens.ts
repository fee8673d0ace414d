import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import type { Role } from '../../enums.ts';
import { deleteSome } from '../service/purge.ts';

export type TokenPurpose = 'verify_email' | 'reset_password' | 'invitation' | 'sign_in_link' | 'change_email';

export interface MailTokenRow {
  id: string;
  purpose: TokenPurpose;
  person_id: string | null;
  email: string;
  account_id: string | null;
  role: Role | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
}

const columns = sql`id, purpose, person_id, email, account_id, role, created_at, expires_at, used_at`;

export async function insertMailToken(
  db: Queryable,
  token: Omit<MailTokenRow, 'used_at'>,
  hash: Uint8Array,
): Promise<void> {
  await execute(
    db,
    sql`insert into mail_tokens (id, purpose, hash, person_id, email, account_id, role, created_at, expires_at)
        values (${token.id}, ${token.purpose}, ${hash}, ${token.person_id}, ${token.email}, ${token.account_id},
          ${token.role}, ${token.created_at}, ${token.expires_at})`,
  );
}

/**
 * Uses up a token if it has this purpose, is unused and has not expired. Only one of two concurrent callers gets it.
 */
export function takeMailToken(
  db: Queryable,
  purpose: TokenPurpose,
  hash: Uint8Array,
  now: Date,
): Promise<MailTokenRow | undefined> {
  return maybeOne<MailTokenRow>(
    db,
    sql`update mail_tokens set used_at = ${now}
        where hash = ${hash} and purpose = ${purpose} and used_at is null and expires_at > ${now}
        returning ${columns}`,
  );
}

/** Finds a token in any state, without using it up. */
export function findMailToken(db: Queryable, hash: Uint8Array): Promise<MailTokenRow | undefined> {
  return maybeOne<MailTokenRow>(db, sql`select ${columns} from mail_tokens where hash = ${hash}`);
}

/** Invalidates a person's unused links for one purpose. */
export async function revokeMailTokens(
  db: Queryable,
  personId: string,
  purpose: TokenPurpose,
  now: Date,
): Promise<void> {
  await execute(
    db,
    sql`update mail_tokens set used_at = ${now} where id in (
          select id from mail_tokens where person_id = ${personId} and purpose = ${purpose} and used_at is null
          order by id for no key update)`,
  );
}

/** Lists the open invitations to an account, oldest first. */
export function listInvitations(db: Queryable, accountId: string, now: Date): Promise<MailTokenRow[]> {
  return db.query<MailTokenRow>(
    sql`select ${columns} from mail_tokens where account_id = ${accountId} and purpose = 'invitation'
          and used_at is null and expires_at > ${now} order by id`,
  );
}

/** Withdraws an invitation; returns whether there was one. */
export async function revokeInvitation(
  db: Queryable,
  accountId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update mail_tokens set used_at = ${now}
    where id = ${id} and account_id = ${accountId} and purpose = 'invitation' and used_at is null returning id`);
  return rows.length > 0;
}

export function deleteTokensBefore(db: Queryable, at: Date, limit: number): Promise<number> {
  const where = sql`expires_at < ${at}`;
  return deleteSome(db, { table: sql`mail_tokens`, where, order: sql`expires_at` }, limit);
}
