import { one, type Queryable, type Sql, sql } from '../../database.ts';
import { ifGiven } from '../filters.ts';

/** An entry of an account's journal with its effect on the wallet. */
export interface StatementRow {
  /** Position in the account's journal, from 1 without gaps. */
  entry: bigint;
  at: Date;
  reason: string;
  amount_minor: bigint;
  order_id: string | null;
  payment_id: string | null;
  promo_credit_id: string | null;
  /** Amounts added to the wallet's money, its promotional credit, and its holds. */
  money_minor: bigint;
  promo_minor: bigint;
  held_minor: bigint;
}

/** The wallet's balances after an entry. */
export type Balances = Pick<StatementRow, 'money_minor' | 'promo_minor' | 'held_minor'>;

export interface StatementSpan {
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
  /** Only entries before this one. */
  before: bigint | null;
}

/** Greater than every position: the largest bigint. */
const BEHIND_ALL = 2n ** 63n - 1n;

const movement = (account: Sql) =>
  sql`case when credit = ${account} then amount_minor when debit = ${account} then -amount_minor else 0 end`;
/** Written like the expression of the index on the chains, in which an account's entries are in order. */
const ofAccount = (id: string) => sql`coalesce(account_id::text, 'seller') = ${id}`;
const MONEY = movement(sql`'wallet'`);
const PROMO = movement(sql`'promo'`);
const HELD = movement(sql`'hold'`);

/**
 * Returns entries of an account's journal, newest first: one more than `limit`, to see whether there is a next page.
 */
export function statementPage(
  db: Queryable,
  accountId: string,
  { from, to, before }: StatementSpan,
  limit: number,
): Promise<StatementRow[]> {
  return db.query<StatementRow>(sql`
    select position as entry, created_at as at, reason, amount_minor, order_id, payment_id, promo_credit_id, ${MONEY} as money_minor,
      ${PROMO} as promo_minor, ${HELD} as held_minor
    from journal where ${ofAccount(accountId)} and position < ${before ?? BEHIND_ALL}::bigint
      and ${ifGiven(from, (given) => sql`created_at >= ${given}`)} and ${ifGiven(to, (given) => sql`created_at < ${given}`)}
    order by position desc limit ${limit + 1}`);
}

/**
 * Returns the wallet's balances after the entry at `position`. They never change, because the journal is append-only.
 */
export function balancesAfter(db: Queryable, accountId: string, position: bigint): Promise<Balances> {
  return one<Balances>(
    db,
    sql`
    select coalesce(sum(${MONEY}), 0)::bigint as money_minor, coalesce(sum(${PROMO}), 0)::bigint as promo_minor,
      coalesce(sum(${HELD}), 0)::bigint as held_minor
    from journal where ${ofAccount(accountId)} and position <= ${position}::bigint`,
  );
}
