import { one, type Queryable, sql } from '../../database.ts';

export interface Consumption {
  snapshots: number;
  /** Bytes sent by all VMs, including deleted ones. */
  traffic_out_bytes: bigint;
}

/**
 * Returns an account's usage other than the sizes of its VMs. Traffic covers the UTC days from `startAt` until before
 * `endAt`.
 */
export function accountConsumption(
  db: Queryable,
  accountId: string,
  period: { startAt: Date; endAt: Date },
): Promise<Consumption> {
  return one<Consumption>(
    db,
    sql`
    select
      (select count(*)::int from snapshots join vms on vms.id = vm_id
        where vms.account_id = ${accountId} and deleted_at is null) as snapshots,
      (select coalesce(sum(out_bytes), 0)::bigint from bandwidth_days join vms on vms.id = vm_id
        where account_id = ${accountId} and (deleted_at is null or deleted_at >= ${period.startAt})
          and day >= (${period.startAt}::timestamptz at time zone 'UTC')::date
          and day < (${period.endAt}::timestamptz at time zone 'UTC')::date) as traffic_out_bytes`,
  );
}
