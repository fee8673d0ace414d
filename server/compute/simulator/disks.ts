import type { Guest } from './guest.ts';
import { bytesOnDisk, IMAGE_BYTES } from './guest-os/model/guest.ts';
import type { Disks } from './store.ts';

// Earlier states of disks, by the name of a snapshot or of a rebuild that has set one aside.

/** Keeps the guest's disk as it is at `now`. An existing one of that name is kept. */
export function keepDisk(disks: Disks, id: string, name: string, guest: Guest, now: number): Promise<void> {
  const { template, authorizedKeys, initialPassword, passwords } = guest;
  const bytes = bytesOnDisk(id, guest, now);
  return disks.keep(name, { template, authorizedKeys, initialPassword, passwords, bytes });
}

/** Gives the guest a kept disk back at `now`. Returns false, and changes nothing, if there is none of that name. */
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

/** Resets the guest's disk at `now` to its image. */
export async function emptyDisk(disks: Disks, id: string, guest: Guest, now: number): Promise<void> {
  setBytes(id, guest, now, IMAGE_BYTES);
  await disks.empty();
}

/** A disk's usage is computed from everything the guest has ever written, so store the difference. */
function setBytes(id: string, guest: Guest, now: number, bytes: number): void {
  guest.unwrittenBytes = (guest.unwrittenBytes ?? 0) + bytesOnDisk(id, guest, now) - bytes;
}
