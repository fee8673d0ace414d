import { execute, maybeOne, type Queryable, sql } from '../database.ts';
import type { Role } from '../enums.ts';

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

/** Uses a token up, if it is of this purpose, unused and not expired: of two callers one gets it. */
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
