import type { SnapshotInfo } from '../driver.ts';
import { coolDown } from './clone.ts';
import { allocatedBytes, asCapacity, OfflineDisk, type RunImage, snapshotsLive } from './disk.ts';
import type { Guest } from './guest.ts';
import type { GuestAccess } from './guest-access.ts';
import type { Pool } from './pool.ts';

/** QEMU does it for a running guest: no other process may write to a disk in use. */
function snapshotsOf(guest: Guest, image: RunImage) {
  return guest.run ? snapshotsLive(guest.run.monitor) : new OfflineDisk(guest, image);
}

/** Takes a snapshot of the guest's disk; one of that name is left as it is. */
export async function takeSnapshot(
  guest: Guest,
  snapshotId: string,
  { inside, pool, image }: { inside: GuestAccess; pool: Pick<Pool, 'requireRoom'>; image: RunImage },
): Promise<SnapshotInfo> {
  const { snapshots } = guest.record;
  const known = snapshots[snapshotId];
  if (known) return known;
  await pool.requireRoom();
  // Before its first start: the disk of a clone may still be exchanged.
  await coolDown(guest);
  const info = { sizeBytes: await allocatedBytes(guest.file('disk')), includesMemory: false };
  const disk = snapshotsOf(guest, image);
  // One that was taken, and not remembered because the service ended just then, is as good.
  if (!(await disk.names()).includes(snapshotId)) await inside.frozen(guest, () => disk.take(snapshotId));
  await guest.save({ snapshots: { ...snapshots, [snapshotId]: info } });
  return info;
}

/** Deletes a snapshot; an absent one, or one of an absent guest, is a success. */
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

/** Brings a guest that is off back to a snapshot; its disk keeps the size that it has grown to. */
export async function restoreSnapshot(guest: Guest, snapshotId: string, image: RunImage): Promise<void> {
  const { id, run, record } = guest;
  if (run) throw new Error(`${id} must be off to be restored`);
  const disk = new OfflineDisk(guest, image);
  if (!(await disk.names()).includes(snapshotId)) throw new Error(`${id} has no snapshot ${snapshotId}`);
  if (record.restoring) await disk.mend();
  await guest.save({ restoring: true });
  try {
    await disk.revert(snapshotId);
    // A disk goes back to the size it had, too.
    await disk.grow(record.diskGb);
  } catch (error) {
    throw asCapacity(error);
  }
  await guest.save({ restoring: undefined });
}
