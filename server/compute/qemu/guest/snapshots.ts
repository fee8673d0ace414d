import type { SnapshotInfo } from '../../driver.ts';
import { allocatedBytes, asCapacity, OfflineDisk, type RunImage, snapshotsLive } from '../disk/disk.ts';
import type { Pool } from '../disk/pool.ts';
import { coolDown } from '../images/clone.ts';
import type { Guest } from './guest.ts';
import type { GuestAccess } from './guest-access.ts';

/** For a running guest QEMU does it, because no other process may write to a disk in use. */
function snapshotsOf(guest: Guest, image: RunImage) {
  return guest.run ? snapshotsLive(guest.run.monitor) : new OfflineDisk(guest, image);
}

/** Takes a snapshot of the guest's disk. An existing one of that name is kept. */
export async function takeSnapshot(
  guest: Guest,
  snapshotId: string,
  { inside, pool, image }: { inside: GuestAccess; pool: Pick<Pool, 'requireRoom'>; image: RunImage },
): Promise<SnapshotInfo> {
  const { snapshots } = guest.record;
  const known = snapshots[snapshotId];
  if (known) return known;
  await pool.requireRoom();
  // A clone that has never started may still get a different disk, so replace it first.
  await coolDown(guest);
  const info = { sizeBytes: await allocatedBytes(guest.file('disk')), includesMemory: false };
  const disk = snapshotsOf(guest, image);
  // The snapshot may exist without being recorded, if the service ended in between.
  if (!(await disk.names()).includes(snapshotId)) await inside.frozen(guest, () => disk.take(snapshotId));
  await guest.save({ snapshots: { ...snapshots, [snapshotId]: info } });
  return info;
}

/** Deletes a snapshot. Succeeds if the snapshot or the guest does not exist. */
export async function dropSnapshot(
  guest: Guest | undefined,
  snapshotId: string,
  image: RunImage,
): Promise<void> {
  if (!guest) return;
  const disk = snapshotsOf(guest, image);
  if ((await disk.names()).includes(snapshotId)) await disk.drop(snapshotId);
  const { [snapshotId]: _, ...snapshots } = guest.record.snapshots;
  await guest.save({ snapshots });
}

/** Restores a guest that is off to a snapshot. Its disk keeps its current size. */
export async function restoreSnapshot(guest: Guest, snapshotId: string, image: RunImage): Promise<void> {
  const { id, run, record } = guest;
  if (run) throw new Error(`${id} must be off to be restored`);
  const disk = new OfflineDisk(guest, image);
  if (!(await disk.names()).includes(snapshotId)) throw new Error(`${id} has no snapshot ${snapshotId}`);
  if (record.restoring) await disk.mend();
  await guest.save({ restoring: true });
  try {
    await disk.revert(snapshotId);
    // Reverting also restores the disk's former size.
    await disk.grow(record.diskGb);
  } catch (error) {
    throw asCapacity(error);
  }
  await guest.save({ restoring: undefined });
}
