import type { SnapshotInfo } from '../driver.ts';
import { coolDown } from './clone.ts';
import { allocatedBytes, snapshotsLive, snapshotsOffline } from './disk.ts';
import type { Guest } from './guest.ts';
import type { Inside } from './inside.ts';

/** Of a running guest QEMU is asked, because nobody else may write to a disk in use. */
function snapshotsOf(guest: Guest) {
  return guest.run ? snapshotsLive(guest.run.monitor) : snapshotsOffline(guest.file('disk'));
}

/** Takes a snapshot of the guest's disk; one of that name is left as it is. */
export async function takeSnapshot(guest: Guest, snapshotId: string, inside: Inside): Promise<SnapshotInfo> {
  const { snapshots } = guest.record;
  const known = snapshots[snapshotId];
  if (known) return known;
  // Before its first start: the disk of a clone may still be exchanged.
  await coolDown(guest);
  const info = { sizeBytes: await allocatedBytes(guest.file('disk')), includesMemory: false };
  const disk = snapshotsOf(guest);
  // One that was taken, and not remembered because the service ended just then, is as good.
  if (!(await disk.names()).includes(snapshotId)) await inside.frozen(guest, () => disk.take(snapshotId));
  await guest.save({ snapshots: { ...snapshots, [snapshotId]: info } });
  return info;
}

/** Deletes a snapshot; an absent one, or one of an absent guest, is a success. */
export async function dropSnapshot(guest: Guest | undefined, snapshotId: string): Promise<void> {
  if (!guest) return;
  const disk = snapshotsOf(guest);
  if ((await disk.names()).includes(snapshotId)) await disk.drop(snapshotId);
  const { [snapshotId]: _, ...snapshots } = guest.record.snapshots;
  await guest.save({ snapshots });
}
