import { type Queryable, sql } from '../../db/database.ts';

/** An entry of an account's journal, with the wallet's balances after it. */
export interface StatementEntry {
  /** Position in the account's journal, from 1 without gaps. */
  entry: bigint;
  at: Date;
  reason: string;
  debit: string;
  credit: string;
  amount_minor: bigint;
  order_id: string | null;
  payment_id: string | null;
  promo_credit_id: string | null;
  available_minor: bigint;
  /** The promotional part of `available_minor`. */
  promo_minor: bigint;
  held_minor: bigint;
}

interface JournalRow extends Omit<StatementEntry, 'available_minor' | 'promo_minor' | 'held_minor'> {
  id: bigint;
}

/** Rows read per query. */
const BATCH = 1_000;

/**
 * Returns an account's journal with the running balance, oldest first. Balances are added up from the first entry, so
 * that a partial statement agrees with the whole one; entries before `from` or from `to` on are left out. Reads a batch
 * at a time outside any transaction, because the journal is append-only.
 */
export async function* statementOf(
  db: Queryable,
  accountId: string,
  { from, to }: { from?: Date; to?: Date },
): AsyncGenerator<StatementEntry> {
  let [money, promo, held] = [0n, 0n, 0n];
  let last = 0n;
  for (;;) {
    const rows = await db.query<JournalRow>(sql`
      select id, position as entry, created_at as at, reason, debit, credit, amount_minor, order_id, payment_id,
        promo_credit_id
      from journal where account_id = ${accountId} and id > ${last}::bigint order by id limit ${BATCH}`);
    for (const { id, ...row } of rows) {
      money += movement(row, 'wallet');
      promo += movement(row, 'promo');
      held += movement(row, 'hold');
      last = id;
      if ((from && row.at < from) || (to && row.at >= to)) continue;
      yield { ...row, available_minor: money + promo, promo_minor: promo, held_minor: held };
    }
    if (rows.length < BATCH) return;
  }
}

function movement(
  { debit, credit, amount_minor }: JournalRow | Omit<JournalRow, 'id'>,
  account: string,
): bigint {
  return (credit === account ? amount_minor : 0n) - (debit === account ? amount_minor : 0n);
}
