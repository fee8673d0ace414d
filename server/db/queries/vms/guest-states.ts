import { empty, execute, type Queryable, sql } from '../../database.ts';
import type { VmRow } from './vms.ts';

/** The fields of a VM that are compared with its guest. */
export type RecordedVm = Pick<
  VmRow,
  | 'id'
  | 'account_id'
  | 'status'
  | 'wanted_power'
  | 'active_job_id'
  | 'last_job_id'
  | 'provisioned_at'
  | 'deleted_at'
  | 'deletion_failed_at'
  | 'unpaid_since'
  | 'suspended_at'
  | 'billing_period_end_at'
  | 'restart_attempts'
  | 'restart_next_at'
  | 'host_id'
  | 'moving_to'
> & { host_lost: boolean | null };

/** Rows per statement: reading this many takes some milliseconds of the embedded engine's only thread. */
const BATCH = 1_000;

/** Returns the VMs whose guests are, or should be, on the engine. */
export async function recordedVms(db: Queryable, engine: string): Promise<RecordedVm[]> {
  const vms: RecordedVm[] = [];
  for (;;) {
    const last = vms.at(-1);
    const batch = await db.query<RecordedVm>(sql`
      select id, account_id, status, wanted_power, active_job_id, last_job_id, provisioned_at, deleted_at,
        deletion_failed_at, unpaid_since, suspended_at, billing_period_end_at, restart_attempts, restart_next_at, host_id,
        moving_to, (select lost_at is not null from hosts where hosts.id = vms.host_id) as host_lost
      from vms where deleted_at is null and engine = ${engine} ${last ? sql`and id > ${last.id}` : empty}
      order by id limit ${BATCH}`);
    vms.push(...batch);
    if (batch.length < BATCH) return vms;
  }
}

/** Returns VMs that the service itself is restarting. */
export async function vmsBeingStarted(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ vm_id: string }>(sql`
    select vm_id from jobs where status in ('pending', 'running') and kind = 'start' and by_service`);
  return rows.map(({ vm_id }) => vm_id);
}

/** Resets the restart count of VMs that have been running since `before`. */
export async function forgetRestarts(db: Queryable, engine: string, before: Date): Promise<void> {
  await execute(
    db,
    sql`
    update vms set restart_attempts = 0, restart_next_at = null
    where id in (
      select id from vms where deleted_at is null and restart_attempts > 0 and engine = ${engine}
        and status = 'running' and restart_next_at < ${before}
      order by id limit ${BATCH} for no key update skip locked)`,
  );
}
