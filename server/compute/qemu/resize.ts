import { DiskShrinkError, type GuestSize } from '../driver.ts';
import { coolDown } from './clone.ts';
import { growDisk } from './disk.ts';
import type { Guest } from './guest.ts';

/** Gives a guest that is off another size. */
export async function resizeGuest(guest: Guest, { vcpu, ramMb, diskGb }: GuestSize): Promise<void> {
  const { id, record } = guest;
  if (guest.run) throw new Error(`${id} must be off to be resized`);
  const present = record.diskGb;
  if (diskGb < present)
    throw new DiskShrinkError(`the disk of ${id} has ${present} GB and cannot shrink to ${diskGb}`);
  await coolDown(guest);
  await growDisk(guest.file('disk'), diskGb);
  await guest.save({ vcpu, ramMb, diskGb });
}
