import { bytesOnDisk, IMAGE_BYTES } from '../../simulated-guest/model/guest.ts';
import type { Guest } from './guest.ts';
import type { Disks } from './store.ts';

// Disks as they once were, by the name of a snapshot or of a rebuild that has set one aside.

/** Keeps the guest's disk as it is at `now`; a disk of that name is left as it is. */
export function keepDisk(disks: Disks, id: string, name: string, guest: Guest, now: number): Promise<void> {
  const { template, authorizedKeys, initialPassword, passwords } = guest;
  const bytes = bytesOnDisk(id, guest, now);
  return disks.keep(name, { template, authorizedKeys, initialPassword, passwords, bytes });
}

/** Gives the guest, at `now`, a disk that was kept. False, and nothing changed, where there is none of that name. */
export async function takeBackDisk(
  disks: Disks,
  id: string,
  name: string,
  guest: Guest,
  now: number,
): Promise<boolean> {
  const kept = await disks.takeBack(name);
  if (!kept) return false;
  const { bytes, ...onDisk } = kept;
  Object.assign(guest, onDisk);
  setBytes(id, guest, now, bytes);
  return true;
}

/** Leaves nothing on the guest's disk, at `now`, but its image. */
export async function emptyDisk(disks: Disks, id: string, guest: Guest, now: number): Promise<void> {
  setBytes(id, guest, now, IMAGE_BYTES);
  await disks.empty();
}

/** What is on the disk follows from all that the guest has ever written: the difference is kept. */
function setBytes(id: string, guest: Guest, now: number, bytes: number): void {
  guest.unwrittenBytes = (guest.unwrittenBytes ?? 0) + bytesOnDisk(id, guest, now) - bytes;
}
