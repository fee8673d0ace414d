import { execute, maybeOne, one, type Queryable, sql } from '../database.ts';
import { type Page, pageOf } from './page.ts';

export const MAIL_STATUSES = ['pending', 'sent', 'failed'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/** A mail to a person. */
export interface MailRow {
  id: string;
  /** Null where it is about a person alone. */
  account_id: string | null;
  recipient: string;
  locale: string;
  template: string;
  /** What is filled in; null once the mail was sent. */
  sealed_values: string | null;
  status: MailStatus;
  attempts: number;
  next_attempt_at: Date;
  /** Why the last attempt failed. */
  last_error: string | null;
  created_at: Date;
  settled_at: Date | null;
}

const columns = sql`id, account_id, recipient, locale, template, sealed_values, status, attempts, next_attempt_at, last_error,
  created_at, settled_at`;

/** How a mail is distinguished from others, and when it is sent: at once where that is not said. */
export interface MailTerms {
  /** What it is about, where one mail about that is enough. */
  dedupeKey?: string | undefined;
  /** The name under which more can be added to it until it is first sent. */
  collectKey?: string;
  notBefore?: Date;
}

/** Writes a mail that is to be sent; false, and nothing, where there is one with its key. */
export async function insertMail(
  db: Queryable,
  mail: Pick<MailRow, 'id' | 'account_id' | 'recipient' | 'locale' | 'template' | 'created_at'> & {
    sealed_values: string;
  },
  { dedupeKey, collectKey, notBefore = mail.created_at }: MailTerms,
): Promise<boolean> {
  const row = await maybeOne(
    db,
    sql`
    insert into mails (id, account_id, recipient, locale, template, sealed_values, status, dedupe_key, collect_key, next_attempt_at,
      created_at)
    values (${mail.id}, ${mail.account_id}, ${mail.recipient}, ${mail.locale}, ${mail.template}, ${mail.sealed_values}, 'pending',
      ${dedupeKey ?? null}, ${collectKey ?? null}, ${notBefore}, ${mail.created_at})
    on conflict do nothing returning id`,
  );
  return row !== undefined;
}

/** The mail to which can still be added under this name, locked until the transaction ends. */
export function lockCollecting(
  db: Queryable,
  collectKey: string,
): Promise<{ id: string; sealed_values: string } | undefined> {
  return maybeOne(
    db,
    sql`
    select id, sealed_values from mails where collect_key = ${collectKey} and status = 'pending' and attempts = 0
    for no key update`,
  );
}

/** Replaces what is filled in: by more, or by the same under another key. The caller holds the lock. */
export async function setMailValues(db: Queryable, id: string, sealed: string): Promise<void> {
  await execute(db, sql`update mails set sealed_values = ${sealed} where id = ${id}`);
}

/** Mails that are due, the longest first. */
export function dueMails(db: Queryable, now: Date, limit: number): Promise<MailRow[]> {
  return db.query<MailRow>(sql`
    select ${columns} from mails where status = 'pending' and next_attempt_at <= ${now}
    order by next_attempt_at, id limit ${limit}`);
}

/**
 * Counts an attempt before it is made, and says when the next is due should nothing more be heard of this one. The mail as
 * it is to be sent, to which nothing can be added any more; undefined where another node was faster.
 */
export function beginAttempt(
  db: Queryable,
  { id, attempts }: Pick<MailRow, 'id' | 'attempts'>,
  nextAttemptAt: Date,
): Promise<MailRow | undefined> {
  return maybeOne<MailRow>(
    db,
    sql`
    update mails set attempts = attempts + 1, next_attempt_at = ${nextAttemptAt}
    where id = ${id} and status = 'pending' and attempts = ${attempts} returning ${columns}`,
  );
}

/** It was sent; what was filled in is forgotten. */
export async function markSent(db: Queryable, id: string, at: Date): Promise<void> {
  await execute(
    db,
    sql`
    update mails set status = 'sent', sealed_values = null, last_error = null, settled_at = ${at}
    where id = ${id} and status = 'pending'`,
  );
}

/** An attempt failed: the next is due when its beginning said, or there is none. */
export async function markFailed(
  db: Queryable,
  id: string,
  { error, at, isLast }: { error: string; at: Date; isLast: boolean },
): Promise<void> {
  const settled = isLast ? sql`, status = 'failed', settled_at = ${at}` : sql``;
  await execute(
    db,
    sql`update mails set last_error = ${error} ${settled} where id = ${id} and status = 'pending'`,
  );
}

/** Of all accounts, newest first. */
export function systemListMails(
  db: Queryable,
  status: MailStatus | undefined,
  page: Page,
): Promise<MailRow[]> {
  const scope = status === undefined ? sql`true` : sql`status = ${status}`;
  return db.query<MailRow>(sql`select ${columns} from mails where ${scope} ${pageOf(sql`id`, page)}`);
}

export function systemFindMail(db: Queryable, id: string): Promise<MailRow | undefined> {
  return maybeOne<MailRow>(db, sql`select ${columns} from mails where id = ${id}`);
}

/** Has a mail sent that has not been, at once and with its count of attempts reset; undefined where it was sent. */
export function retryMail(db: Queryable, id: string, now: Date): Promise<MailRow | undefined> {
  return maybeOne<MailRow>(
    db,
    sql`
    update mails set status = 'pending', attempts = 0, collect_key = null, next_attempt_at = ${now}, settled_at = null
    where id = ${id} and status <> 'sent' returning ${columns}`,
  );
}

/** How many mails were given up and have not been looked after. */
export async function countFailedMails(db: Queryable): Promise<number> {
  return (await one<{ n: number }>(db, sql`select count(*)::int as n from mails where status = 'failed'`)).n;
}

/** Up to `limit` mails after `after` whose values are sealed, locked. */
export function lockSealedMails(
  db: Queryable,
  after: string,
  limit: number,
): Promise<{ id: string; sealed_values: string }[]> {
  return db.query(sql`
    select id, sealed_values from mails where sealed_values is not null and id > ${after}
    order by id limit ${limit} for no key update`);
}
