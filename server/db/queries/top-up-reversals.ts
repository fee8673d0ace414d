import { execute, maybeOne, one, type Queryable, sql } from '../database.ts';

/** Money of a top-up that its provider took back by itself: a refund or a dispute that began there. */
export interface TopUpReversalRow {
  id: string;
  top_up_id: string;
  account_id: string;
  kind: 'refund' | 'dispute';
  /** As the provider knows it. */
  provider_ref: string;
  amount_minor: bigint;
  /** Owed as long as the wallet does not cover it; void once the provider has taken it back. */
  status: 'owed' | 'taken' | 'void';
  /** What it took out of the wallet, and what it put back. */
  payment_id: string | null;
  returned_payment_id: string | null;
  created_at: Date;
  settled_at: Date | null;
}

const columns = sql`id, top_up_id, account_id, kind, provider_ref, amount_minor, status, payment_id, returned_payment_id, created_at, settled_at`;

/** Writes a reversal, by the holder of its top-up. One that is owed counts in the wallet's claims from then on. */
export async function insertReversal(db: Queryable, row: TopUpReversalRow): Promise<void> {
  await execute(
    db,
    sql`
    insert into top_up_reversals (${columns})
    values (${row.id}, ${row.top_up_id}, ${row.account_id}, ${row.kind}, ${row.provider_ref}, ${row.amount_minor}::bigint, ${row.status},
      ${row.payment_id}, ${row.returned_payment_id}, ${row.created_at}, ${row.settled_at})`,
  );
  if (row.status === 'owed') await addClaim(db, row.account_id, row.amount_minor);
}

/** The reversal of that name, locked until the transaction ends, by the holder of its top-up. */
export function lockReversal(db: Queryable, providerRef: string): Promise<TopUpReversalRow | undefined> {
  return maybeOne<TopUpReversalRow>(
    db,
    sql`select ${columns} from top_up_reversals where provider_ref = ${providerRef} for no key update`,
  );
}

/** Decides a reversal that the caller has locked; what was owed is no claim any more. */
export async function changeReversal(
  db: Queryable,
  row: TopUpReversalRow,
  change: Pick<TopUpReversalRow, 'status' | 'settled_at'> &
    Partial<Pick<TopUpReversalRow, 'payment_id' | 'returned_payment_id'>>,
): Promise<TopUpReversalRow> {
  const next = { ...row, ...change };
  if (row.status === 'owed' && next.status !== 'owed') await addClaim(db, row.account_id, -row.amount_minor);
  return one<TopUpReversalRow>(
    db,
    sql`
    update top_up_reversals set status = ${next.status}, payment_id = ${next.payment_id},
      returned_payment_id = ${next.returned_payment_id}, settled_at = ${next.settled_at}
    where id = ${row.id} returning ${columns}`,
  );
}

/** What the provider has taken back of a top-up. */
export async function reversedOf(db: Queryable, topUpId: string): Promise<bigint> {
  const { amount } = await one<{ amount: bigint }>(
    db,
    sql`
    select coalesce(sum(amount_minor), 0)::bigint as amount from top_up_reversals where top_up_id = ${topUpId} and status <> 'void'`,
  );
  return amount;
}

/** What is owed and covered by its wallet meanwhile, the oldest first. */
export function payableReversals(db: Queryable, limit: number): Promise<TopUpReversalRow[]> {
  return db.query<TopUpReversalRow>(sql`
    select ${columns} from top_up_reversals r where status = 'owed' and amount_minor <= (
      select available_minor - promo_minor from wallets where wallets.account_id = r.account_id
    ) order by id limit ${limit}`);
}

/** A reversal that is owed, and the reference of the payment it is of. */
export type ClaimRow = Pick<TopUpReversalRow, 'id' | 'kind' | 'amount_minor' | 'top_up_id' | 'created_at'> & {
  reference: string;
};

/** Up to `limit` of what an account owes, the oldest first, as it is collected. */
export function claimsOf(db: Queryable, accountId: string, limit: number): Promise<ClaimRow[]> {
  return db.query<ClaimRow>(sql`
    select r.id, r.kind, r.amount_minor, r.top_up_id, r.created_at, t.reference
    from top_up_reversals r join top_ups t on t.id = r.top_up_id
    where r.account_id = ${accountId} and r.status = 'owed' order by r.id limit ${limit}`);
}

function addClaim(db: Queryable, accountId: string, amount: bigint): Promise<void> {
  return execute(
    db,
    sql`update wallets set claimed_minor = claimed_minor + ${amount}::bigint where account_id = ${accountId}`,
  );
}
