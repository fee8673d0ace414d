import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';

/** Money of a top-up that its provider took back on its own: a refund or dispute that began there. */
export interface TopUpReversalRow {
  id: string;
  top_up_id: string;
  account_id: string;
  kind: 'refund' | 'dispute';
  /** The provider's reference. */
  provider_ref: string;
  amount_minor: bigint;
  /** `owed` until all of it has been taken from the wallet; `void` if the reversal was cancelled. */
  status: 'owed' | 'taken' | 'void';
  created_at: Date;
  settled_at: Date | null;
  /** When the provider reported it; null if unknown. */
  told_at: Date | null;
}

/** A reversal with the totals of its payments. */
export interface BookedReversal extends TopUpReversalRow {
  provider: string;
  /** Amount taken out of the wallet and not put back. */
  taken_minor: bigint;
  /** Number of payments made for it. */
  moves: number;
}

const columns = sql`id, top_up_id, account_id, kind, provider_ref, amount_minor, status, created_at, settled_at, told_at`;

/** The payments of reversal `r`, including those made by nodes of the previous release. */
export const REVERSAL_PAYMENTS = sql`
  (select payment_id as id from top_up_reversal_payments where reversal_id = r.id
    union all select r.payment_id union all select r.returned_payment_id)`;

const booked = sql`
  select r.id, r.top_up_id, r.account_id, r.kind, r.provider_ref, r.amount_minor, r.status, r.created_at, r.settled_at, r.told_at,
    (select provider from top_ups where top_ups.id = r.top_up_id) as provider, moved.taken_minor, moved.moves
  from top_up_reversals r, lateral (
    select coalesce(-sum(payments.amount_minor), 0)::bigint as taken_minor, count(*)::int as moves
    from ${REVERSAL_PAYMENTS} own join payments on payments.id = own.id
  ) moved`;

/** Returns the amount that is still owed for a reversal. */
export function owedOf({ status, amount_minor, taken_minor }: BookedReversal): bigint {
  return status === 'owed' ? amount_minor - taken_minor : 0n;
}

/**
 * Inserts an owed reversal and adds it to the wallet's claims. The caller must hold the locks on the top-up and the
 * wallet.
 */
export async function insertReversal(db: Queryable, row: TopUpReversalRow): Promise<void> {
  await execute(
    db,
    sql`
    insert into top_up_reversals (${columns})
    values (${row.id}, ${row.top_up_id}, ${row.account_id}, ${row.kind}, ${row.provider_ref}, ${row.amount_minor}::bigint, ${row.status},
      ${row.created_at}, ${row.settled_at}, ${row.told_at})`,
  );
  await addClaim(db, row.account_id, row.amount_minor);
}

/**
 * Returns the reversal with this reference. The caller must hold the lock on the wallet, without which none of the
 * account's reversals changes.
 */
export function findReversal(db: Queryable, providerRef: string): Promise<BookedReversal | undefined> {
  return maybeOne<BookedReversal>(db, sql`${booked} where r.provider_ref = ${providerRef}`);
}

/** Returns an account's owed reversals, oldest first. The caller must hold the lock on the wallet. */
export function owedReversals(db: Queryable, accountId: string): Promise<BookedReversal[]> {
  return db.query<BookedReversal>(
    sql`${booked} where r.account_id = ${accountId} and r.status = 'owed' order by r.id`,
  );
}

/**
 * Updates a reversal and the wallet's claims by the change in what is owed. The caller must hold the lock on the
 * wallet.
 */
export async function changeReversal(
  db: Queryable,
  before: BookedReversal,
  after: BookedReversal,
): Promise<void> {
  await execute(
    db,
    sql`
    update top_up_reversals set status = ${after.status}, amount_minor = ${after.amount_minor}::bigint,
      settled_at = ${after.settled_at}, told_at = ${after.told_at} where id = ${after.id}`,
  );
  const more = owedOf(after) - owedOf(before);
  if (more !== 0n) await addClaim(db, after.account_id, more);
}

export function linkReversal(db: Queryable, reversalId: string, paymentId: string): Promise<void> {
  return execute(
    db,
    sql`insert into top_up_reversal_payments (payment_id, reversal_id) values (${paymentId}, ${reversalId})`,
  );
}

/** Returns the amount that the provider has taken back from a top-up. */
export async function reversedOf(db: Queryable, topUpId: string): Promise<bigint> {
  const { amount } = await one<{ amount: bigint }>(
    db,
    sql`
    select coalesce(sum(amount_minor), 0)::bigint as amount from top_up_reversals where top_up_id = ${topUpId} and status <> 'void'`,
  );
  return amount;
}

/** Returns up to `limit` accounts after `after` that are in debt and have money. */
export async function accountsToCollect(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ account_id: string }>(sql`
    select account_id from (
      select account_id from top_up_reversals where status = 'owed' union select account_id from vm_debts where owed_minor > 0
    ) debtors join wallets using (account_id)
    where available_minor > promo_minor and account_id > ${after} order by 1 limit ${limit}`);
  return rows.map(({ account_id }) => account_id);
}

/** An owed reversal, with the reference of its top-up. */
export type ClaimRow = Pick<TopUpReversalRow, 'id' | 'kind' | 'top_up_id' | 'created_at'> & {
  /** The amount still owed. */
  amount_minor: bigint;
  reference: string;
};

/** Returns up to `limit` of an account's owed reversals, oldest first, as they are collected. */
export function claimsOf(db: Queryable, accountId: string, limit: number): Promise<ClaimRow[]> {
  return db.query<ClaimRow>(sql`
    select r.id, r.kind, r.amount_minor - r.taken_minor as amount_minor, r.top_up_id, r.created_at, t.reference
    from (${booked} where r.account_id = ${accountId} and r.status = 'owed') r join top_ups t on t.id = r.top_up_id
    order by r.id limit ${limit}`);
}

function addClaim(db: Queryable, accountId: string, amount: bigint): Promise<void> {
  return execute(
    db,
    sql`update wallets set claimed_minor = claimed_minor + ${amount}::bigint where account_id = ${accountId}`,
  );
}
