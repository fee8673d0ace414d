import type { HostInfo } from '../../compute/driver.ts';
import type { Transaction } from '../../db/database.ts';
import { findSnapshot, type SnapshotRow } from '../../db/queries/vms/snapshots.ts';
import type { VmView } from '../../db/queries/vms/vms.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import type { RestoreInput } from './job-inputs.ts';
import { reserveSecondDisk } from './reserve.ts';
import { requireAllowed, requireWhole } from './states.ts';

/**
 * Returns the input of the job that restores a VM from one of its snapshots. A restore is free: the disk keeps its
 * size, because it has never been larger than it is now. Refuses if the VM's lock or state does not allow it, and if
 * the snapshot does not exist or is not usable. Throws `capacity_unavailable` if there is no space to keep the current
 * disk in the meantime.
 */
export async function decideRestore(
  db: Transaction,
  vm: VmView,
  snapshotId: string,
  hosts: readonly HostInfo[] | ApiError,
): Promise<{ input: RestoreInput; snapshot: SnapshotRow }> {
  const snapshot = await findSnapshot(db, vm.id, snapshotId);
  if (!snapshot) throw notFound();
  requireAllowed(vm, 'restore');
  requireWhole(vm);
  if (snapshot.status !== 'available') {
    const details = { status: snapshot.status, allowed: ['available'] };
    throw new ApiError('invalid_state', `The snapshot is ${snapshot.status}.`, details);
  }
  // Last, because the host's row stays locked until the commit.
  await reserveSecondDisk({ db, hosts }, vm, vm.disk_gb);
  return { input: { snapshot_id: snapshot.id, restart: isWantedOn(vm) }, snapshot };
}

/** Returns whether to start a VM again after switching it off temporarily. */
export function isWantedOn({ status, wanted_power }: VmView): boolean {
  return status === 'running' || wanted_power === 'on';
}
