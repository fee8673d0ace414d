import type { SnapshotInfo } from '../driver.ts';
import { keepDisk, takeBackDisk } from './disks.ts';
import { diskAt } from './guest.ts';
import type { Work } from './operations.ts';

// The changes that snapshots make to the stored guest.

/** An existing snapshot of that name is kept. */
export const takeSnapshot =
  (id: string, snapshotId: string): Work<SnapshotInfo> =>
  async (guest, now, disks) => {
    const known = guest.snapshots[snapshotId];
    if (known) return known;
    await keepDisk(disks, id, snapshotId, guest, now);
    const info = { sizeBytes: diskAt(id, guest, now).usedBytes, includesMemory: false };
    guest.snapshots[snapshotId] = info;
    return info;
  };

export const dropSnapshot =
  (snapshotId: string): Work<void> =>
  async (guest, _now, disks) => {
    delete guest.snapshots[snapshotId];
    await disks.drop(snapshotId);
  };

export const restoreSnapshot =
  (id: string, snapshotId: string): Work<void> =>
  async (guest, now, disks) => {
    if (guest.run) throw new Error(`${id} must be off to be restored`);
    if (!guest.snapshots[snapshotId] || !(await takeBackDisk(disks, id, snapshotId, guest, now)))
      throw new Error(`${id} has no snapshot ${snapshotId}`);
  };
