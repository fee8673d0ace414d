import { one, type Queryable, sql } from '../database.ts';

export interface WalletRow {
  account_id: string;
  currency: string;
  available_minor: bigint;
  held_minor: bigint;
  updated_at: Date;
}

/** The accounts of the ledger. `wallet` and `hold` belong to a customer; their balances are the wallet row. */
export type LedgerAccount = 'cash' | 'wallet' | 'hold' | 'revenue';

export interface Transfer {
  accountId: string;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amountMinor: bigint;
  reason: string;
  orderId?: string | null;
  paymentId?: string | null;
  at: Date;
}

const columns = sql`account_id, currency, available_minor, held_minor, updated_at`;

/** The wallet as it is; every account has one. */
export function lookUpWallet(db: Queryable, accountId: string): Promise<WalletRow> {
  return one<WalletRow>(db, sql`select ${columns} from wallets where account_id = ${accountId}`);
}

/**
 * The wallet, locked until the transaction ends. Whatever spends, grants or counts against an account's
 * quota takes this lock first: it is what makes those decisions one after the other.
 */
export function lockWallet(db: Queryable, accountId: string): Promise<WalletRow> {
  return one<WalletRow>(db, sql`select ${columns} from wallets where account_id = ${accountId} for update`);
}

/**
 * Moves an amount between two ledger accounts and writes it to the journal. A balance that would fall below
 * zero is refused by the store (check violation), whatever the caller looked at before.
 */
export async function transfer(db: Queryable, move: Transfer): Promise<WalletRow> {
  const delta = (account: LedgerAccount) =>
    (move.credit === account ? move.amountMinor : 0n) - (move.debit === account ? move.amountMinor : 0n);
  return one<WalletRow>(
    db,
    sql`
    with moved as (
      update wallets set available_minor = available_minor + ${delta('wallet')}::bigint,
        held_minor = held_minor + ${delta('hold')}::bigint, updated_at = ${move.at}
      where account_id = ${move.accountId} returning ${columns}
    ), entry as (
      insert into journal (account_id, debit, credit, amount_minor, currency, reason, order_id, payment_id, created_at)
      select account_id, ${move.debit}, ${move.credit}, ${move.amountMinor}::bigint, currency, ${move.reason},
        ${move.orderId ?? null}, ${move.paymentId ?? null}, ${move.at} from moved
    )
    select ${columns} from moved`,
  );
}
