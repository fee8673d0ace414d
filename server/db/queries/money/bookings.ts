import { one, type Queryable, type Sql, sql } from '../../database.ts';
import type { OrderLineRow } from './orders.ts';

/** A journal entry with the order, payment or credit to which it refers. */
export interface BookingRow {
  id: bigint;
  /** The day on which it is booked, in UTC: "2026-01-31". */
  date: string;
  at: Date;
  account_id: string | null;
  account_name: string | null;
  debit: string;
  credit: string;
  amount_minor: bigint;
  currency: string;
  reason: string;
  order_id: string | null;
  payment_id: string | null;
  /** Number of the invoice or credit note; null until it is issued. */
  document: string | null;
  promo_credit_id: string | null;
  /** A payment's reference as the operator entered it, or the reason for promotional credit. */
  reference: string | null;
  /** Set for entries of a sale, like the buyer's country and VAT id below. */
  tax_category: OrderLineRow['tax_category'] | null;
  country: string | null;
  vat_id: string | null;
}

/** Days from `from` until before `to`, in UTC. */
export interface Days {
  from: Date;
  to: Date;
}

/** Figures of a month that decide whether it can be exported at all. */
export interface BookingTotals {
  count: number;
  largest_minor: bigint | null;
  currencies: string[];
  /** Every ledger account that is debited or credited. */
  accounts: string[];
}

const inMonth = ({ from, to }: Days) =>
  sql`(day is null and journal.created_at >= ${from} and journal.created_at < ${to}
    or day >= (${from}::timestamptz at time zone 'UTC')::date and day < (${to}::timestamptz at time zone 'UTC')::date)`;

/** `rest` is an `and …` that selects the entries to count. */
export function bookingTotals(db: Queryable, days: Days, rest: Sql): Promise<BookingTotals> {
  return one<BookingTotals>(
    db,
    sql`
    with booked as (select amount_minor, currency, debit, credit from journal where ${inMonth(days)} ${rest})
    select (select count(*)::int from booked) as count, (select max(amount_minor) from booked) as largest_minor,
      array(select distinct currency from booked order by 1) as currencies,
      array(select debit from booked union select credit from booked order by 1) as accounts`,
  );
}

const columns = sql`journal.id, coalesce(day::text, to_char(journal.created_at at time zone 'UTC', 'YYYY-MM-DD')) as date,
  journal.created_at as at, journal.account_id, accounts.name as account_name, debit, credit, journal.amount_minor,
  journal.currency, journal.reason, order_id, payment_id, promo_credit_id, invoices.number as document,
  coalesce(payments.reference, promo_credits.reason) as reference, coalesce(journal.tax_category, past.tax_category) as tax_category,
  coalesce(journal.country, past.buyer ->> 'country') as country, coalesce(journal.vat_id, past.buyer ->> 'vat_id') as vat_id`;
const tables = sql`journal left join accounts on accounts.id = journal.account_id
  left join orders on orders.id = order_id left join invoices on invoices.id = coalesce(journal.invoice_id, orders.invoice_id)
  left join payments on payments.id = payment_id left join promo_credits on promo_credits.id = promo_credit_id
  left join lateral (
    select line.tax_category, line_buyer(line) as buyer from booked_line(journal) line
    where journal.tax_category is null and journal.order_id is not null and journal.debit || ' ' || journal.credit like '%:%'
  ) past on true`;

/** Rows per query. */
const BATCH = 1_000;

/**
 * Yields the entries of some days in order of time, followed by those that are booked by day instead: releases of
 * deferred revenue. Reads in batches and outside any transaction, because the consumer may be slow and the journal
 * never changes.
 */
export async function* bookingsOf(db: Queryable, days: Days, rest: Sql): AsyncGenerator<BookingRow> {
  yield* inBatches(db, (last) => {
    const after = last
      ? sql`(journal.created_at, journal.id) > (${last.at}, ${last.id}::bigint)`
      : sql`journal.created_at >= ${days.from}`;
    return sql`day is null and journal.created_at < ${days.to} and ${after} ${rest}
      order by journal.created_at, journal.id`;
  });
  yield* inBatches(db, (last) => {
    const after = last ? sql`(day, journal.id) > (${last.date}::date, ${last.id}::bigint)` : sql`true`;
    return sql`day is not null and ${inMonth(days)} and ${after} ${rest} order by day, journal.id`;
  });
}

async function* inBatches(
  db: Queryable,
  where: (last: BookingRow | undefined) => Sql,
): AsyncGenerator<BookingRow> {
  let last: BookingRow | undefined;
  for (;;) {
    const rows = await db.query<BookingRow>(
      sql`select ${columns} from ${tables} where ${where(last)} limit ${BATCH}`,
    );
    yield* rows;
    if (rows.length < BATCH) return;
    last = rows.at(-1);
  }
}
