import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';
import { deleteSome } from '../service/purge.ts';

export interface AuditRow {
  id: string;
  account_id: string | null;
  person_id: string | null;
  action: string;
  subject_id: string | null;
  details: Record<string, unknown>;
  ip: string | null;
  created_at: Date;
}

export async function insertAuditEntry(db: Queryable, entry: AuditRow): Promise<void> {
  await execute(
    db,
    sql`insert into audit_entries (id, account_id, person_id, action, subject_id, details, ip, created_at)
        values (${entry.id}, ${entry.account_id}, ${entry.person_id}, ${entry.action}, ${entry.subject_id},
          ${JSON.stringify(entry.details)}::text::jsonb, ${entry.ip}, ${entry.created_at})`,
  );
}

/** An entry with the address of the person who acted. */
export interface AuditView extends AuditRow {
  person_email: string | null;
}

export function listAuditEntries(db: Queryable, accountId: string, page: Page): Promise<AuditView[]> {
  return db.query<AuditView>(sql`
    select a.id, a.account_id, a.person_id, a.action, a.subject_id, a.details, a.ip, a.created_at,
      people.email as person_email
    from audit_entries a left join people on people.id = a.person_id
    where a.account_id = ${accountId} ${pageOf(sql`a.id`, page)}`);
}

/** Returns the name or address of the person who sent an invitation. */
export async function findInviter(db: Queryable, invitationId: string): Promise<string | undefined> {
  const row = await maybeOne<{ inviter: string }>(
    db,
    sql`
    select coalesce(nullif(people.name, ''), people.email) as inviter
    from audit_entries a join mail_tokens on mail_tokens.id = a.subject_id join people on people.id = a.person_id
    where a.account_id = mail_tokens.account_id and a.action = 'invitation.sent' and a.subject_id = ${invitationId}
    limit 1`,
  );
  return row?.inviter;
}

export function deleteAuditBefore(db: Queryable, at: Date, limit: number): Promise<number> {
  const where = sql`created_at < ${at}`;
  return deleteSome(db, { table: sql`audit_entries`, where, order: sql`created_at` }, limit);
}

/** Returns whether a person has signed in since `since`, and whether they did so from this device. */
export async function knowsDevice(
  db: Queryable,
  personId: string,
  userAgent: string,
  since: Date,
): Promise<{ before: boolean; device: boolean }> {
  const row = await maybeOne<{ before: boolean; device: boolean }>(
    db,
    sql`select count(*) > 0 as before,
          coalesce(bool_or(details->>'user_agent' = ${userAgent}), false) as device
        from audit_entries where person_id = ${personId} and action = 'person.signed_in' and created_at > ${since}`,
  );
  return row!;
}
