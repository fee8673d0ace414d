import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';

export const MAIL_STATUSES = ['pending', 'sent', 'failed'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

export interface MailRow {
  id: string;
  /** Null if it concerns a person rather than an account. */
  account_id: string | null;
  recipient: string;
  locale: string;
  template: string;
  /** The template's values, sealed; null once the mail was sent. */
  sealed_values: string | null;
  status: MailStatus;
  attempts: number;
  next_attempt_at: Date;
  last_error: string | null;
  created_at: Date;
  settled_at: Date | null;
}

const columns = sql`id, account_id, recipient, locale, template, sealed_values, status, attempts, next_attempt_at, last_error,
  created_at, settled_at`;

/** A mail's keys, and when it is sent: at once unless `notBefore` says otherwise. */
export interface MailTerms {
  /** Identifies the occasion if one mail about it is enough. */
  dedupeKey?: string | undefined;
  /** Name under which more content can be added until the mail is first sent. */
  collectKey?: string;
  notBefore?: Date;
}

/** Queues a mail. Returns false, and writes nothing, if there already is one with its key. */
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

/** Returns the mail that can still be extended under this name, and locks it until the transaction ends. */
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

/**
 * Replaces the template's values, with more values or with the same ones sealed under another key. The caller must hold
 * the lock.
 */
export async function setMailValues(db: Queryable, id: string, sealed: string): Promise<void> {
  await execute(db, sql`update mails set sealed_values = ${sealed} where id = ${id}`);
}

/** Returns mails that are due, the longest overdue first. */
export function dueMails(db: Queryable, now: Date, limit: number): Promise<MailRow[]> {
  return db.query<MailRow>(sql`
    select ${columns} from mails where status = 'pending' and next_attempt_at <= ${now}
    order by next_attempt_at, id limit ${limit}`);
}

/**
 * Counts an attempt before it is made, and sets when the next is due if the outcome of this one is never recorded.
 * Returns the mail to send, to which nothing can be added any longer; undefined if another node was faster.
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

/** Records that a mail was sent, and erases its values. */
export async function markSent(db: Queryable, id: string, at: Date): Promise<void> {
  await execute(
    db,
    sql`
    update mails set status = 'sent', sealed_values = null, last_error = null, settled_at = ${at}
    where id = ${id} and status = 'pending'`,
  );
}

/** Records that an attempt failed. The next is due as {@link beginAttempt} set, unless this was the last. */
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

/** Lists the mails of all accounts, newest first. */
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

/** Queues an unsent mail again, due now and with its attempts reset; undefined if it was already sent. */
export function retryMail(db: Queryable, id: string, now: Date): Promise<MailRow | undefined> {
  return maybeOne<MailRow>(
    db,
    sql`
    update mails set status = 'pending', attempts = 0, collect_key = null, next_attempt_at = ${now}, settled_at = null
    where id = ${id} and status <> 'sent' returning ${columns}`,
  );
}

/** Counts the mails whose delivery was given up and that were not retried. */
export async function countFailedMails(db: Queryable): Promise<number> {
  return (await one<{ n: number }>(db, sql`select count(*)::int as n from mails where status = 'failed'`)).n;
}

/** Returns up to `limit` mails after `after` that still have values, and locks them. */
export function lockSealedMails(
  db: Queryable,
  after: string,
  limit: number,
): Promise<{ id: string; sealed_values: string }[]> {
  return db.query(sql`
    select id, sealed_values from mails where sealed_values is not null and id > ${after}
    order by id limit ${limit} for no key update`);
}
