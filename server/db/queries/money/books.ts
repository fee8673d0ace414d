import { execute, maybeOne, type Queryable, sql } from '../../database.ts';

/** The number of decimals of a currency's amounts, fixed when the books were created. */
export interface BooksRow {
  /** ISO 4217. */
  currency: string;
  /** Decimals of an amount: one major unit is 10^exponent minor units. */
  exponent: number;
  recorded_at: Date;
  /** "service" when the first account was made, "upgrade" by the migration, or the operator who answered. */
  recorded_by: string;
}

/**
 * Returns how the books count `currency`; undefined if there are no books yet or the operator still has to confirm it.
 */
export function findBooks(db: Queryable, currency: string): Promise<BooksRow | undefined> {
  return maybeOne<BooksRow>(
    db,
    sql`select currency, exponent::int as exponent, recorded_at, recorded_by from books where currency = ${currency}`,
  );
}

/** Returns whether there are wallets in `currency` but no record of how their amounts are counted. */
export async function areUncounted(db: Queryable, currency: string): Promise<boolean> {
  const row = await maybeOne(
    db,
    sql`
    select from wallets where wallets.currency = ${currency}
      and not exists (select from books where books.currency = ${currency}) limit 1`,
  );
  return row !== undefined;
}

/** Records how amounts are counted; does nothing if it is already recorded. */
export async function recordBooks(db: Queryable, books: BooksRow): Promise<void> {
  await execute(
    db,
    sql`
    insert into books (currency, exponent, recorded_at, recorded_by)
    values (${books.currency}, ${books.exponent}, ${books.recorded_at}, ${books.recorded_by})
    on conflict (currency) do nothing`,
  );
}

/** A payment that an operator can compare with the records of the bank or payment provider. */
export interface PaymentSample {
  id: string;
  account_id: string;
  method: string;
  reference: string;
  amount_minor: bigint;
  created_at: Date;
}

/** Returns the most recently booked payments, newest first. */
export function lastPayments(db: Queryable, currency: string, limit: number): Promise<PaymentSample[]> {
  return db.query<PaymentSample>(
    sql`
    select id, account_id, method, reference, amount_minor, created_at from payments
    where currency = ${currency} order by id desc limit ${limit}`,
  );
}
