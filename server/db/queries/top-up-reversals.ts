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
  /** Owed as long as not all of it is taken from the wallet; void if it came to nothing. */
  status: 'owed' | 'taken' | 'void';
  created_at: Date;
  settled_at: Date | null;
  /** When the provider said so; null where that is not known. */
  told_at: Date | null;
}

/** A reversal, with what the payments of its account say about it. */
export interface BookedReversal extends TopUpReversalRow {
  /** The provider of the top-up. */
  provider: string;
  /** What was taken out of the wallet and not put back. */
  taken_minor: bigint;
  /** How many payments it has had. */
  moves: number;
}

const columns = sql`id, top_up_id, account_id, kind, provider_ref, amount_minor, status, created_at, settled_at, told_at`;

/** The payments of the reversal `r`, by nodes of the last release too. */
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

/** What is owed of a reversal. */
export function owedOf({ status, amount_minor, taken_minor }: BookedReversal): bigint {
  return status === 'owed' ? amount_minor - taken_minor : 0n;
}

/** Writes a reversal that is owed, which counts in the wallet's claims. The caller holds the top-up and the wallet. */
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

/** The reversal of that name. The caller holds the wallet, without which none of the account's reversals changes. */
export function findReversal(db: Queryable, providerRef: string): Promise<BookedReversal | undefined> {
  return maybeOne<BookedReversal>(db, sql`${booked} where r.provider_ref = ${providerRef}`);
}

/** What an account owes, the oldest first. The caller holds the wallet. */
export function owedReversals(db: Queryable, accountId: string): Promise<BookedReversal[]> {
  return db.query<BookedReversal>(
    sql`${booked} where r.account_id = ${accountId} and r.status = 'owed' order by r.id`,
  );
}

/** Notes what has become of a reversal, and of the claim to what is owed of it. The caller holds the wallet. */
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

/** Notes that a payment was made for a reversal. */
export function linkReversal(db: Queryable, reversalId: string, paymentId: string): Promise<void> {
  return execute(
    db,
    sql`insert into top_up_reversal_payments (payment_id, reversal_id) values (${paymentId}, ${reversalId})`,
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

/** Up to `limit` accounts after `after` that owe something and have money. */
export async function accountsToCollect(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ account_id: string }>(sql`
    select account_id from (
      select account_id from top_up_reversals where status = 'owed' union select account_id from vm_debts where owed_minor > 0
    ) debtors join wallets using (account_id)
    where available_minor > promo_minor and account_id > ${after} order by 1 limit ${limit}`);
  return rows.map(({ account_id }) => account_id);
}

/** A reversal of which something is owed, and the reference of the payment it is of. */
export type ClaimRow = Pick<TopUpReversalRow, 'id' | 'kind' | 'top_up_id' | 'created_at'> & {
  /** What is owed of it. */
  amount_minor: bigint;
  reference: string;
};

/** Up to `limit` of what an account owes, the oldest first, as it is collected. */
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
