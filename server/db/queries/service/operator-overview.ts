import { one, type Queryable, type Sql, sql } from '../../database.ts';

export interface MoneyRow {
  received_minor: bigint;
  paid_out_minor: bigint;
  /** Settled orders, minus refunds. */
  sold_minor: bigint;
}

/** Counts for the operator's overview: the current state, and what needs attention. */
export interface OverviewRow {
  accounts_active: number;
  accounts_suspended: number;
  vms_total: number;
  vms_running: number;
  vms_error: number;
  vms_unpaid: number;
  jobs_active: number;
  jobs_stuck: number;
  mails_failed: number;
  transfers_waiting: number;
  transfers_waiting_minor: bigint;
  attacks_ongoing: number;
}

export function moneySince(db: Queryable, from: Date): Promise<MoneyRow> {
  const paid = (sign: Sql) => sql`coalesce((
    select abs(sum(amount_minor)) from payments
    where status = 'succeeded' and settled_at >= ${from} and amount_minor ${sign} 0), 0)::bigint`;
  return one<MoneyRow>(
    db,
    sql`select ${paid(sql`>`)} as received_minor, ${paid(sql`<`)} as paid_out_minor, coalesce((
          select sum(amount_minor) from orders where status = 'completed' and settled_at >= ${from}), 0)::bigint
            as sold_minor`,
  );
}

export function operatorOverview(db: Queryable): Promise<OverviewRow> {
  return one<OverviewRow>(
    db,
    sql`
    select accounts.*, vms.*, jobs.*, top_ups.*,
      (select count(*)::int from mails where status = 'failed') as mails_failed,
      (select count(*)::int from shield_attacks where status = 'ongoing') as attacks_ongoing
    from
      (select (count(*) filter (where status = 'active'))::int as accounts_active,
          (count(*) filter (where status = 'suspended'))::int as accounts_suspended
        from accounts) accounts,
      (select count(*)::int as vms_total, (count(*) filter (where status = 'running'))::int as vms_running,
          (count(*) filter (where status = 'error'))::int as vms_error,
          (count(*) filter (where unpaid_since is not null))::int as vms_unpaid
        from vms where deleted_at is null) vms,
      (select count(*)::int as jobs_active, (count(*) filter (where attempts > 0))::int as jobs_stuck
        from jobs where status in ('pending', 'running')) jobs,
      (select count(*)::int as transfers_waiting, coalesce(sum(amount_minor), 0)::bigint as transfers_waiting_minor
        from top_ups where status = 'pending' and provider = 'bank_transfer') top_ups`,
  );
}
