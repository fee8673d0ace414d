import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';
import { ifGiven } from '../filters.ts';
import { type Page, pageOf } from '../page.ts';

export const TOP_UP_STATUSES = ['pending', 'succeeded', 'failed', 'expired', 'canceled'] as const;
export type TopUpStatus = (typeof TOP_UP_STATUSES)[number];
/**
 * Statuses as shown. A pending top-up whose provider is working on the payment, which may take days, is shown as
 * `processing`.
 */
export const SHOWN_TOP_UP_STATUSES = [
  'pending',
  'processing',
  'succeeded',
  'failed',
  'expired',
  'canceled',
] as const;
export type ShownTopUpStatus = (typeof SHOWN_TOP_UP_STATUSES)[number];

/** A customer's payment into the wallet, made or intended. */
export interface TopUpRow {
  id: string;
  account_id: string;
  provider: string;
  /** Origin of the top-up: a person or automatic top-up. */
  cause: 'person' | 'auto';
  amount_minor: bigint;
  currency: string;
  status: TopUpStatus;
  /** Reference that the customer or the provider quotes with the payment. */
  reference: string;
  /** The provider's reference of the charge. */
  provider_ref: string | null;
  /** True if the method should be kept; `payment_method_id` is the one that was kept or charged. */
  keep_method: boolean;
  payment_method_id: string | null;
  /** Why it failed; shown to the customer. */
  error: string | null;
  payment_id: string | null;
  principal_id: string | null;
  created_at: Date;
  expires_at: Date | null;
  settled_at: Date | null;
  /** When a charge whose outcome is unknown will be asked for again. */
  retry_at: Date | null;
  /** Set while the provider is working on the payment: when to ask about it, in case its event is lost. */
  recheck_at: Date | null;
  /** Since when the provider says that it knows no such payment, asked again and again. */
  missing_since: Date | null;
  /** The provider's page of a started payment: its name there, and its address, which shows what is kept there. */
  session_ref: string | null;
  sealed_page: string | null;
}

const columns = sql`id, account_id, provider, cause, amount_minor, currency, status, reference, provider_ref, keep_method, payment_method_id, error,
  payment_id, principal_id, created_at, expires_at, settled_at, retry_at, recheck_at, missing_since, session_ref, sealed_page`;

export async function insertTopUp(db: Queryable, row: TopUpRow): Promise<void> {
  await execute(
    db,
    sql`
    insert into top_ups (${columns})
    values (${row.id}, ${row.account_id}, ${row.provider}, ${row.cause}, ${row.amount_minor}::bigint, ${row.currency}, ${row.status},
      ${row.reference}, ${row.provider_ref}, ${row.keep_method}, ${row.payment_method_id}, ${row.error}, ${row.payment_id}, ${row.principal_id},
      ${row.created_at}, ${row.expires_at}, ${row.settled_at}, ${row.retry_at}, ${row.recheck_at}, ${row.missing_since}, ${row.session_ref}, ${row.sealed_page})`,
  );
}

export function findTopUp(db: Queryable, accountId: string, id: string): Promise<TopUpRow | undefined> {
  return maybeOne<TopUpRow>(
    db,
    sql`select ${columns} from top_ups where account_id = ${accountId} and id = ${id}`,
  );
}

export function listTopUps(db: Queryable, accountId: string, page: Page): Promise<TopUpRow[]> {
  return db.query<TopUpRow>(sql`
    select ${columns} from top_ups where account_id = ${accountId} ${pageOf(sql`id`, page)}`);
}

/** Lists top-ups of all accounts, newest first; optionally of one status or provider. */
export function systemListTopUps(
  db: Queryable,
  { status, provider }: { status?: ShownTopUpStatus | undefined; provider?: string | undefined },
  page: Page,
): Promise<TopUpRow[]> {
  return db.query<TopUpRow>(sql`
    select ${columns} from top_ups
    where ${ifGiven(status, (given) => sql`case when status = 'pending' and recheck_at is not null then 'processing' else status end = ${given}`)}
      and ${ifGiven(provider, (given) => sql`provider = ${given}`)} ${pageOf(sql`id`, page)}`);
}

/** Finds a top-up by its id or reference. */
export function systemFindTopUp(db: Queryable, name: string): Promise<TopUpRow | undefined> {
  return maybeOne<TopUpRow>(
    db,
    sql`select ${columns} from top_ups where id = ${name} or reference = ${name}`,
  );
}

/** Returns a top-up and locks it until the transaction ends. Settlement locks the top-up before anything else. */
export function lockTopUp(db: Queryable, id: string): Promise<TopUpRow | undefined> {
  return maybeOne<TopUpRow>(db, sql`select ${columns} from top_ups where id = ${id} for no key update`);
}

/** Counts an account's pending top-ups. The caller must hold the wallet's lock. */
export async function countPendingTopUps(db: Queryable, accountId: string): Promise<number> {
  const { n } = await one<{ n: number }>(
    db,
    sql`select count(*)::int as n from top_ups where account_id = ${accountId} and status = 'pending'`,
  );
  return n;
}

export type TopUpChange = Partial<
  Pick<
    TopUpRow,
    | 'status'
    | 'provider_ref'
    | 'error'
    | 'payment_id'
    | 'expires_at'
    | 'settled_at'
    | 'retry_at'
    | 'recheck_at'
    | 'missing_since'
    | 'payment_method_id'
  >
>;

/** Changes a top-up that the caller has locked. */
export function changeTopUp(db: Queryable, row: TopUpRow, change: TopUpChange): Promise<TopUpRow> {
  const next = { ...row, ...change };
  return one<TopUpRow>(
    db,
    sql`
    update top_ups set status = ${next.status}, provider_ref = ${next.provider_ref}, error = ${next.error}, payment_id = ${next.payment_id},
      expires_at = ${next.expires_at}, settled_at = ${next.settled_at}, retry_at = ${next.retry_at}, recheck_at = ${next.recheck_at},
      missing_since = ${next.missing_since}, payment_method_id = ${next.payment_method_id}
    where id = ${row.id} returning ${columns}`,
  );
}

/** Returns a top-up's status as it is shown. */
export function shownStatus({ status, recheck_at }: TopUpRow): ShownTopUpStatus {
  return status === 'pending' && recheck_at ? 'processing' : status;
}

/** Expires up to `limit` top-ups that were not paid in time, and returns them; a later payment is still accepted. */
export function expireTopUps(db: Queryable, now: Date, limit: number): Promise<TopUpRow[]> {
  return db.query<TopUpRow>(sql`
    update top_ups set status = 'expired', settled_at = ${now} where id = any(array(
      select id from top_ups where status = 'pending' and expires_at <= ${now} order by expires_at limit ${limit}
      for no key update skip locked))
    returning ${columns}`);
}

/**
 * Returns charges whose outcome is unknown and that are due for a retry. One due after `latest`, which is later than
 * any time that is ever set, is due at once: the clock was set back. Leaves out charges that the provider is working
 * on, even if the node that made them missed the reply.
 */
export function topUpsToRetry(
  db: Queryable,
  { now, latest }: { now: Date; latest: Date },
  limit: number,
): Promise<TopUpRow[]> {
  return db.query<TopUpRow>(sql`
    select ${columns} from top_ups where status = 'pending' and recheck_at is null and (retry_at <= ${now} or retry_at > ${latest})
    order by retry_at, id limit ${limit}`);
}

/**
 * Returns payments that their provider is working on and that are due for a check; `latest` as for
 * {@link topUpsToRetry}.
 */
export function topUpsToRecheck(
  db: Queryable,
  { now, latest }: { now: Date; latest: Date },
  limit: number,
): Promise<TopUpRow[]> {
  return db.query<TopUpRow>(sql`
    select ${columns} from top_ups
    where status = 'pending' and (recheck_at <= ${now} or recheck_at > ${latest}) order by recheck_at, id limit ${limit}`);
}

export function findTopUpOfProvider(
  db: Queryable,
  provider: string,
  providerRef: string,
): Promise<TopUpRow | undefined> {
  return maybeOne<TopUpRow>(
    db,
    sql`select ${columns} from top_ups where provider = ${provider} and provider_ref = ${providerRef}`,
  );
}
