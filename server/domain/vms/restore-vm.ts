import type { HostInfo } from '../../compute/driver.ts';
import type { Transaction } from '../../db/database.ts';
import { findSnapshot, type SnapshotRow } from '../../db/queries/snapshots.ts';
import type { VmView } from '../../db/queries/vms.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import type { RestoreInput } from './job-inputs.ts';
import { reserveSecondDisk } from './reserve.ts';
import { requireAllowed, requireWhole } from './states.ts';

/**
 * What the job takes that brings a VM back to one of its snapshots. It costs nothing: its disk is as large as before, and
 * a disk has never been larger than it is now. Refused where the VM's lock or state does not allow it, and for a snapshot that
 * is not there, or not whole; `capacity_unavailable` where there is no room to keep the disk as it was meanwhile.
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

/** Whether a VM that is switched off for a while is to run again. */
export function isWantedOn({ status, wanted_power }: VmView): boolean {
  return status === 'running' || wanted_power === 'on';
}
