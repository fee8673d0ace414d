import { type Queryable, sql } from '../../database.ts';
import type { VmRow } from '../vms/vms.ts';
import { type MeteredVm, withMeters } from './meters.ts';

/** Condition: the VM is charged for, because it was provisioned and is not being deleted. */
export const isBilled = sql`deleted_at is null and provisioned_at is not null and status <> 'deleting'`;

/** All VMs that an account pays for, the next to be renewed first, with their meters. Their number is bounded by the quota. */
export async function billedVms(db: Queryable, accountId: string): Promise<MeteredVm[]> {
  const vms = await db.query<VmRow>(
    sql`select * from vms where account_id = ${accountId} and ${isBilled} order by billing_period_end_at, id`,
  );
  return withMeters(db, vms);
}
