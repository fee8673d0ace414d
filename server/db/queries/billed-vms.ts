import { type Queryable, sql } from '../database.ts';
import type { VmRow } from './vms.ts';

/** VMs that are paid for: they have come into being, and they are not on their way out. */
export const isBilled = sql`deleted_at is null and provisioned_at is not null and status <> 'deleting'`;

/** All VMs that an account pays for, the next to be renewed first. Their number is bounded by the quota. */
export function billedVms(db: Queryable, accountId: string): Promise<VmRow[]> {
  return db.query<VmRow>(
    sql`select * from vms where account_id = ${accountId} and ${isBilled} order by billing_period_end_at, id`,
  );
}

/** What the account's VMs cost a month as long as they renew, at the prices they were sold at. Minor units. */
export async function burnRateMonthly(db: Queryable, accountId: string): Promise<bigint> {
  const [row] = await db.query<{ burn: bigint }>(sql`
    select coalesce(sum(price_monthly_minor), 0)::bigint as burn
    from vms where account_id = ${accountId} and ${isBilled} and auto_renew`);
  return row!.burn;
}
