import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';

/** A payment method stored at a provider, so that the account can be charged again. */
export interface PaymentMethodRow {
  id: string;
  account_id: string;
  provider: string;
  /** The provider's references. */
  customer_ref: string;
  method_ref: string;
  /** Display name, such as "Visa 4242". */
  label: string;
  /** Month, such as "2030-04". */
  expires_on: string | null;
  created_at: Date;
  removed_at: Date | null;
}

const columns = sql`id, account_id, provider, customer_ref, method_ref, label, expires_on, created_at, removed_at`;

/** Stores a payment method, or restores one that was removed. */
export function keepPaymentMethod(db: Queryable, row: PaymentMethodRow): Promise<PaymentMethodRow> {
  return one<PaymentMethodRow>(
    db,
    sql`
    insert into payment_methods (${columns})
    values (${row.id}, ${row.account_id}, ${row.provider}, ${row.customer_ref}, ${row.method_ref}, ${row.label}, ${row.expires_on},
      ${row.created_at}, null)
    on conflict (account_id, provider, method_ref) do update
      set customer_ref = excluded.customer_ref, label = excluded.label, expires_on = excluded.expires_on, removed_at = null
    returning ${columns}`,
  );
}

/** Lists chargeable payment methods, newest first. */
export function listPaymentMethods(db: Queryable, accountId: string): Promise<PaymentMethodRow[]> {
  return db.query<PaymentMethodRow>(sql`
    select ${columns} from payment_methods where account_id = ${accountId} and removed_at is null order by id desc`);
}

export function findPaymentMethod(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<PaymentMethodRow | undefined> {
  return maybeOne<PaymentMethodRow>(
    db,
    sql`
    select ${columns} from payment_methods where account_id = ${accountId} and id = ${id} and removed_at is null`,
  );
}

/** Removes a stored payment method and returns it; undefined if it was not stored. */
export function removePaymentMethod(
  db: Queryable,
  accountId: string,
  id: string,
  at: Date,
): Promise<PaymentMethodRow | undefined> {
  return maybeOne<PaymentMethodRow>(
    db,
    sql`
    update payment_methods set removed_at = ${at} where account_id = ${accountId} and id = ${id} and removed_at is null
    returning ${columns}`,
  );
}

export interface AutoTopUpRow {
  account_id: string;
  enabled: boolean;
  threshold_minor: bigint;
  amount_minor: bigint;
  payment_method_id: string | null;
  /** Number of consecutive failures. */
  failures: number;
  next_attempt_at: Date | null;
  last_error: string | null;
  updated_at: Date;
}

const autoColumns = sql`account_id, enabled, threshold_minor, amount_minor, payment_method_id, failures, next_attempt_at, last_error,
  updated_at`;

export function findAutoTopUp(db: Queryable, accountId: string): Promise<AutoTopUpRow | undefined> {
  return maybeOne<AutoTopUpRow>(
    db,
    sql`select ${autoColumns} from auto_top_ups where account_id = ${accountId}`,
  );
}

/** Returns the settings and locks them until the transaction ends. */
export function lockAutoTopUp(db: Queryable, accountId: string): Promise<AutoTopUpRow | undefined> {
  return maybeOne<AutoTopUpRow>(
    db,
    sql`select ${autoColumns} from auto_top_ups where account_id = ${accountId} for no key update`,
  );
}

export function putAutoTopUp(db: Queryable, row: AutoTopUpRow): Promise<AutoTopUpRow> {
  return one<AutoTopUpRow>(
    db,
    sql`
    insert into auto_top_ups (${autoColumns})
    values (${row.account_id}, ${row.enabled}, ${row.threshold_minor}::bigint, ${row.amount_minor}::bigint, ${row.payment_method_id},
      ${row.failures}, ${row.next_attempt_at}, ${row.last_error}, ${row.updated_at})
    on conflict (account_id) do update set enabled = excluded.enabled, threshold_minor = excluded.threshold_minor,
      amount_minor = excluded.amount_minor, payment_method_id = excluded.payment_method_id, failures = excluded.failures,
      next_attempt_at = excluded.next_attempt_at, last_error = excluded.last_error, updated_at = excluded.updated_at
    returning ${autoColumns}`,
  );
}

/** Records the outcome of an attempt. The caller must hold the row's lock. */
export async function noteAutoTopUp(
  db: Queryable,
  accountId: string,
  change: Pick<AutoTopUpRow, 'enabled' | 'failures' | 'next_attempt_at' | 'last_error'>,
): Promise<void> {
  await execute(
    db,
    sql`
    update auto_top_ups set enabled = ${change.enabled}, failures = ${change.failures}, next_attempt_at = ${change.next_attempt_at},
      last_error = ${change.last_error}
    where account_id = ${accountId}`,
  );
}

/** The most automatic top-ups that an account may have since an instant, and the most while it is in debt. */
export interface TopUpLimit {
  since: Date;
  most: number;
  mostInDebt: number;
}

/** Returns whether an account has no pending automatic top-up and is below the limit. */
export async function mayTopUp(
  db: Queryable,
  accountId: string,
  { since, most, mostInDebt }: TopUpLimit,
): Promise<boolean> {
  const { pending, recent, owes } = await one<{ pending: number; recent: number; owes: boolean }>(
    db,
    sql`
    select count(*) filter (where status = 'pending')::int as pending, count(*) filter (where created_at > ${since})::int as recent,
      (select claimed_minor > 0 from wallets where account_id = ${accountId}) as owes
    from top_ups where account_id = ${accountId} and cause = 'auto'`,
  );
  return pending === 0 && recent < (owes ? mostInDebt : most);
}

/** Returns the amount that is on its way to an account's wallet: payments that providers are processing. */
export async function processingMinor(db: Queryable, accountId: string): Promise<bigint> {
  const { amount } = await one<{ amount: bigint }>(
    db,
    sql`
    select coalesce(sum(amount_minor), 0)::bigint as amount from top_ups
    where account_id = ${accountId} and status = 'pending' and recheck_at is not null`,
  );
  return amount;
}

/**
 * Returns up to `limit` active accounts after `after` whose wallets are below their threshold, that have no pending
 * automatic top-up, and that are below the limit.
 */
export function accountsToTopUp(
  db: Queryable,
  { now, since, most, mostInDebt }: TopUpLimit & { now: Date },
  after: string,
  limit: number,
): Promise<{ account_id: string }[]> {
  return db.query(sql`
    select a.account_id from auto_top_ups a join wallets w on w.account_id = a.account_id
      join accounts on accounts.id = a.account_id
    where a.enabled and a.account_id > ${after} and accounts.status = 'active' and w.available_minor < a.threshold_minor
      and w.available_minor + (select coalesce(sum(amount_minor), 0) from top_ups t
        where t.account_id = a.account_id and t.status = 'pending' and t.recheck_at is not null) < a.threshold_minor
      and (a.next_attempt_at is null or a.next_attempt_at <= ${now})
      -- It has paid already, it seems, and an operator is asked.
      and not exists (select from unbooked_payments u where u.account_id = a.account_id and u.decided_at is null)
      and not exists (select from top_ups t where t.account_id = a.account_id and t.status = 'pending' and t.cause = 'auto')
      and (select count(*) from top_ups t where t.account_id = a.account_id and t.cause = 'auto' and t.created_at > ${since})
        < case when w.claimed_minor > 0 then ${mostInDebt}::int else ${most}::int end
    order by a.account_id limit ${limit}`);
}
