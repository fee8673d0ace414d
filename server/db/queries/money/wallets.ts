import { execute, maybeOne, one, type Queryable, type Sql, sql } from '../../database.ts';
import { isSaleLine } from './orders.ts';

export interface WalletRow {
  account_id: string;
  currency: string;
  /** Amount that can be spent: paid in, and promotional. */
  available_minor: bigint;
  /** The promotional part of it, which is never paid out. */
  promo_minor: bigint;
  held_minor: bigint;
  /**
   * Owed for reversed payments, and for the usage of deleted VMs. This part of the available
   * amount cannot be spent on new orders.
   */
  claimed_minor: bigint;
  updated_at: Date;
}

/**
 * The accounts of the ledger; `domain/billing/chart.ts` says what each is for. `wallet`, `promo` and `hold` belong to a
 * customer; their balances are the wallet row, in which the first two together are the available amount. A rate is a
 * tax rate without trailing zeros, such as "0.2".
 */
export type LedgerAccount =
  | 'wallet'
  | 'hold'
  | 'promo'
  | 'promo_expense'
  | 'write_off'
  | 'receivable'
  | `clearing:${string}`
  | `${'deferred' | 'revenue' | 'refunds' | 'tax'}:${string}`;

export interface Transfer {
  accountId: string;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amountMinor: bigint;
  reason: string;
  orderId?: string | null;
  paymentId?: string | null;
  /** Set if the transfer grants or ends promotional credit. */
  promoCreditId?: string | null;
  at: Date;
}

const columns = sql`account_id, currency, available_minor, promo_minor, held_minor, claimed_minor, updated_at`;

/** A wallet for display. */
export interface WalletView extends WalletRow {
  /** The soonest end of its promotional credit; null if there is none. */
  promo_expires_at: Date | null;
}

/** Returns the wallet without a lock; every account has one. */
export function lookUpWallet(db: Queryable, accountId: string): Promise<WalletView> {
  return one<WalletView>(
    db,
    sql`
    select ${columns}, (
      select min(coalesce(revoked_at, expires_at)) from promo_credits where promo_credits.account_id = wallets.account_id and remaining_minor > 0
    ) as promo_expires_at
    from wallets where account_id = ${accountId}`,
  );
}

/**
 * Returns the wallet and locks it until the transaction ends. Anything that spends, grants or counts against an
 * account's quota takes this lock before it reads, which serialises those decisions.
 */
export function lockWallet(db: Queryable, accountId: string): Promise<WalletRow> {
  return one<WalletRow>(
    db,
    sql`select ${columns} from wallets where account_id = ${accountId} for no key update`,
  );
}

/**
 * Moves an amount between two ledger accounts, writes it to the journal, and returns the wallet after it. The database
 * refuses a balance below zero (check violation), whatever the caller read before.
 */
export function transfer(db: Queryable, move: Transfer): Promise<WalletRow> {
  return one<WalletRow>(db, movement(move));
}

/** Does the same for a caller that has locked the wallet and does not need the balances afterwards. */
export function post(db: Queryable, move: Transfer): Promise<void> {
  return execute(db, movement(move));
}

function movement(move: Transfer): Sql {
  const delta = (account: LedgerAccount) =>
    (move.credit === account ? move.amountMinor : 0n) - (move.debit === account ? move.amountMinor : 0n);
  return sql`
    with moved as (
      update wallets set available_minor = available_minor + ${delta('wallet') + delta('promo')}::bigint,
        promo_minor = promo_minor + ${delta('promo')}::bigint,
        held_minor = held_minor + ${delta('hold')}::bigint, updated_at = ${move.at}
      where account_id = ${move.accountId} returning ${columns}
    ), entry as (
      insert into journal (account_id, debit, credit, amount_minor, currency, reason, order_id, payment_id,
        promo_credit_id, created_at)
      select account_id, ${move.debit}, ${move.credit}, ${move.amountMinor}::bigint, currency, ${move.reason},
        ${move.orderId ?? null}, ${move.paymentId ?? null}, ${move.promoCreditId ?? null}, ${move.at} from moved
    )
    select ${columns} from moved`;
}

export interface OrderBooking {
  accountId: string;
  orderId: string;
  /** Sum of the order's lines without deposit lines: a deposit stays held, or its own entries release it. */
  amountMinor: bigint;
  /** The customer's side of the entries: the hold of the order, or the wallet itself. */
  party: 'wallet' | 'hold';
  at: Date;
}

/**
 * Books an order by its lines: each moves its net amount and its tax between the customer's money and the accounts of
 * its tax rate, and records the buyer. Service after `at` is deferred; anything else becomes revenue or a refund at
 * once.
 */
export async function bookOrder(db: Queryable, order: OrderBooking): Promise<WalletRow> {
  const fromWallet = order.party === 'wallet' ? order.amountMinor : 0n;
  const sold = order.party === 'wallet' ? 'charge' : 'capture';
  return one<WalletRow>(
    db,
    sql`
    with moved as (
      update wallets set available_minor = available_minor - ${fromWallet}::bigint,
        held_minor = held_minor - ${order.amountMinor - fromWallet}::bigint, updated_at = ${order.at}
      where account_id = ${order.accountId} returning ${columns}
    ), legs as (
      select position, tax_category, line_buyer(order_lines) as buyer, leg.* from order_lines, lateral (
        values (1, case when to_at > ${order.at} then 'deferred:' when amount_minor > 0 then 'revenue:' else 'refunds:' end
          || trim_scale(tax_rate), amount_minor - tax_minor), (2, 'tax:' || trim_scale(tax_rate), tax_minor)
      ) as leg (number, code, amount)
      where order_id = ${order.orderId} and ${isSaleLine(sql`order_lines`)} and amount <> 0
    ), entries as (
      insert into journal (account_id, debit, credit, amount_minor, currency, reason, order_id, created_at, tax_category,
        country, vat_id)
      select account_id, case when amount > 0 then ${order.party} else code end,
        case when amount > 0 then code else ${order.party} end, abs(amount), currency,
        case when amount > 0 then ${sold} else 'refund' end, ${order.orderId}, ${order.at}, tax_category,
        buyer ->> 'country', buyer ->> 'vat_id'
      from moved, legs order by position, number
    )
    select ${columns} from moved`,
  );
}

/** Returns a wallet currency other than `currency`; undefined if all wallets use that one. */
export async function foreignCurrency(db: Queryable, currency: string): Promise<string | undefined> {
  const other = await maybeOne<{ currency: string }>(
    db,
    sql`select currency from wallets where currency <> ${currency} limit 1`,
  );
  return other?.currency;
}
