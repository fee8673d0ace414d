import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';
import { ifGiven } from '../filters.ts';
import { type Page, pageOf } from '../page.ts';
import { readSetting, writeSetting } from '../service/settings.ts';

export const UNBOOKED_STATUSES = ['open', 'booked', 'dismissed'] as const;
export type UnbookedStatus = (typeof UNBOOKED_STATUSES)[number];

/** A payment that a provider has received for a top-up that is not in the books. */
export interface UnbookedPaymentRow {
  id: string;
  provider: string;
  /** The provider's reference. */
  provider_ref: string;
  /** The top-up and account that the provider was given; neither need exist. The account is null if none was given. */
  top_up_id: string;
  account_id: string | null;
  amount_minor: bigint;
  currency: string;
  paid_at: Date;
  found_at: Date;
  /** Null while the payment is open, like the fields below. */
  decided_at: Date | null;
  decided_by: string | null;
  reason: string | null;
  /** The payment that it was booked as. */
  payment_id: string | null;
  /** Amount that its provider took back, for example by a dispute, before it was booked. */
  taken_back_minor: bigint;
}

export type NewUnbookedPayment = Omit<
  UnbookedPaymentRow,
  'decided_at' | 'decided_by' | 'reason' | 'payment_id' | 'taken_back_minor'
>;

const columns = sql`id, provider, provider_ref, top_up_id, account_id, amount_minor, currency, paid_at, found_at, decided_at,
  decided_by, reason, payment_id, taken_back_minor`;

/** Records an unbooked payment; returns whether it was new. */
export async function insertUnbookedPayment(db: Queryable, row: NewUnbookedPayment): Promise<boolean> {
  const noted = await maybeOne(
    db,
    sql`
    insert into unbooked_payments (id, provider, provider_ref, top_up_id, account_id, amount_minor, currency, paid_at, found_at)
    values (${row.id}, ${row.provider}, ${row.provider_ref}, ${row.top_up_id}, ${row.account_id}, ${row.amount_minor}::bigint,
      ${row.currency}, ${row.paid_at}, ${row.found_at})
    on conflict (provider, provider_ref) do nothing returning id`,
  );
  return noted !== undefined;
}

/** Lists unbooked payments, newest first. */
export function listUnbookedPayments(
  db: Queryable,
  status: UnbookedStatus | undefined,
  page: Page,
): Promise<UnbookedPaymentRow[]> {
  return db.query<UnbookedPaymentRow>(sql`
    select ${columns} from unbooked_payments
    where ${ifGiven(
      status,
      (given) =>
        sql`case when decided_at is null then 'open' when payment_id is null then 'dismissed' else 'booked' end = ${given}`,
    )} ${pageOf(sql`id`, page)}`);
}

export function findUnbookedPayment(db: Queryable, id: string): Promise<UnbookedPaymentRow | undefined> {
  return maybeOne<UnbookedPaymentRow>(db, sql`select ${columns} from unbooked_payments where id = ${id}`);
}

/** Returns the payment with this provider reference, if it was not booked. */
export function findUnbookedOfProvider(
  db: Queryable,
  provider: string,
  providerRef: string,
): Promise<UnbookedPaymentRow | undefined> {
  return maybeOne<UnbookedPaymentRow>(
    db,
    sql`
    select ${columns} from unbooked_payments where provider = ${provider} and provider_ref = ${providerRef} and payment_id is null`,
  );
}

/** Records the total amount taken back from a payment. */
export function noteTakenBack(db: Queryable, id: string, amountMinor: bigint): Promise<void> {
  return execute(
    db,
    sql`update unbooked_payments set taken_back_minor = ${amountMinor}::bigint where id = ${id}`,
  );
}

/** Returns an unbooked payment and locks it until the transaction ends. */
export function lockUnbookedPayment(db: Queryable, id: string): Promise<UnbookedPaymentRow | undefined> {
  return maybeOne<UnbookedPaymentRow>(
    db,
    sql`select ${columns} from unbooked_payments where id = ${id} for no key update`,
  );
}

/** Records an operator's decision and returns the updated row. The caller must hold its lock. */
export function decideUnbookedPayment(
  db: Queryable,
  id: string,
  decision: { at: Date; by: string; reason: string | null; paymentId: string | null },
): Promise<UnbookedPaymentRow> {
  return one<UnbookedPaymentRow>(
    db,
    sql`
    update unbooked_payments set decided_at = ${decision.at}, decided_by = ${decision.by}, reason = ${decision.reason},
      payment_id = ${decision.paymentId}
    where id = ${id} returning ${columns}`,
  );
}

const comparedBy = (provider: string) => `payments_compared:${provider}`;

/**
 * Returns the time up to which the books contain the provider's payments, according to the books themselves: after an
 * older copy of them was restored, this is a time before the copy was made.
 */
export async function comparedUntil(db: Queryable, provider: string): Promise<Date | undefined> {
  const kept = await readSetting<{ at: string }>(db, comparedBy(provider));
  return kept && new Date(kept.at);
}

export function noteCompared(db: Queryable, provider: string, at: Date): Promise<void> {
  return writeSetting(db, comparedBy(provider), { at: at.toISOString() });
}

/**
 * Returns when the newest top-up with a provider was made. Without any, returns when the oldest account was created,
 * before which no one can have paid.
 */
export async function newestTopUpAt(db: Queryable, provider: string): Promise<Date | undefined> {
  const { at } = await one<{ at: Date | null }>(
    db,
    sql`
    select coalesce((select max(created_at) from top_ups where provider = ${provider}), (select min(created_at) from accounts)) as at`,
  );
  return at ?? undefined;
}

/** Returns the account that a provider knows under this customer reference. */
export async function accountOfCustomer(
  db: Queryable,
  provider: string,
  customerRef: string,
): Promise<string | undefined> {
  const row = await maybeOne<{ account_id: string }>(
    db,
    sql`
    select account_id from payment_methods where provider = ${provider} and customer_ref = ${customerRef} order by id limit 1`,
  );
  return row?.account_id;
}
