import { execute, maybeOne, one, type Queryable, sql } from '../database.ts';
import { ifGiven } from './filters.ts';
import { type Page, pageOf } from './page.ts';

export const TOP_UP_STATUSES = ['pending', 'succeeded', 'failed', 'expired', 'canceled'] as const;
export type TopUpStatus = (typeof TOP_UP_STATUSES)[number];
/** What is shown: of a pending top-up also whether its provider is working on the payment, which may take days. */
export const SHOWN_TOP_UP_STATUSES = [
  'pending',
  'processing',
  'succeeded',
  'failed',
  'expired',
  'canceled',
] as const;
export type ShownTopUpStatus = (typeof SHOWN_TOP_UP_STATUSES)[number];

/** Money that a customer brings in, or means to. */
export interface TopUpRow {
  id: string;
  account_id: string;
  provider: string;
  /** Who started it: a person, or the automatic top-up. */
  cause: 'person' | 'auto';
  amount_minor: bigint;
  currency: string;
  status: TopUpStatus;
  /** What the customer or the provider names when it is paid. */
  reference: string;
  /** As the provider knows what is charged. */
  provider_ref: string | null;
  /** Whether the method is to be kept; `payment_method_id` is the one that was kept or charged. */
  keep_method: boolean;
  payment_method_id: string | null;
  /** Why it failed, for its owner. */
  error: string | null;
  payment_id: string | null;
  principal_id: string | null;
  created_at: Date;
  expires_at: Date | null;
  settled_at: Date | null;
  /** Of a charge whose outcome is not known: when it is asked for again. */
  retry_at: Date | null;
  /** Set while the provider is working on the payment: when it is asked about it, in case its event is lost. */
  recheck_at: Date | null;
  /** The provider's page of a payment that was begun: its name there, and its address, which shows what is kept there. */
  session_ref: string | null;
  sealed_page: string | null;
}

const columns = sql`id, account_id, provider, cause, amount_minor, currency, status, reference, provider_ref, keep_method, payment_method_id, error,
  payment_id, principal_id, created_at, expires_at, settled_at, retry_at, recheck_at, session_ref, sealed_page`;

export async function insertTopUp(db: Queryable, row: TopUpRow): Promise<void> {
  await execute(
    db,
    sql`
    insert into top_ups (${columns})
    values (${row.id}, ${row.account_id}, ${row.provider}, ${row.cause}, ${row.amount_minor}::bigint, ${row.currency}, ${row.status},
      ${row.reference}, ${row.provider_ref}, ${row.keep_method}, ${row.payment_method_id}, ${row.error}, ${row.payment_id}, ${row.principal_id},
      ${row.created_at}, ${row.expires_at}, ${row.settled_at}, ${row.retry_at}, ${row.recheck_at}, ${row.session_ref}, ${row.sealed_page})`,
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

/** Of all accounts, newest first; those of one status or of one provider where that is given. */
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

/** By its id or its reference. */
export function systemFindTopUp(db: Queryable, name: string): Promise<TopUpRow | undefined> {
  return maybeOne<TopUpRow>(
    db,
    sql`select ${columns} from top_ups where id = ${name} or reference = ${name}`,
  );
}

/** A top-up, locked until the transaction ends, as settling one locks it first. */
export function lockTopUp(db: Queryable, id: string): Promise<TopUpRow | undefined> {
  return maybeOne<TopUpRow>(db, sql`select ${columns} from top_ups where id = ${id} for no key update`);
}

/** Top-ups of an account that are not decided. The caller holds its wallet's lock. */
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
      payment_method_id = ${next.payment_method_id}
    where id = ${row.id} returning ${columns}`,
  );
}

/** Returns the status of a top-up as it is shown. */
export function shownStatus({ status, recheck_at }: TopUpRow): ShownTopUpStatus {
  return status === 'pending' && recheck_at ? 'processing' : status;
}

/** Ends up to `limit` top-ups that were not paid in time, and returns them; one that is paid later is still taken. */
export function expireTopUps(db: Queryable, now: Date, limit: number): Promise<TopUpRow[]> {
  return db.query<TopUpRow>(sql`
    update top_ups set status = 'expired', settled_at = ${now} where id = any(array(
      select id from top_ups where status = 'pending' and expires_at <= ${now} order by expires_at limit ${limit}
      for no key update skip locked))
    returning ${columns}`);
}

/**
 * Charges whose outcome is not known and that are due to be asked for again. One that is due after `latest`, which is further
 * away than any time that is ever set, is due at once: the clock was set back. One that its provider is working on is none of
 * them, even if the node that made it has missed the reply.
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

/** Payments that their provider is working on and that are due to be asked about; `latest` as for {@link topUpsToRetry}. */
export function topUpsToRecheck(
  db: Queryable,
  { now, latest }: { now: Date; latest: Date },
  limit: number,
): Promise<TopUpRow[]> {
  return db.query<TopUpRow>(sql`
    select ${columns} from top_ups
    where status = 'pending' and (recheck_at <= ${now} or recheck_at > ${latest}) order by recheck_at, id limit ${limit}`);
}

/** What a provider knows under a name of its own. */
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
