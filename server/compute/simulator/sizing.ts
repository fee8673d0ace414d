import { DiskShrinkError, type GuestSize } from '../driver.ts';
import type { Work } from './operations.ts';

/** Returns the change that a resize makes to the stored guest. */
export const resized =
  (id: string, { vcpu, ramMb, diskGb, dedicated }: GuestSize): Work<void> =>
  (guest) => {
    if (guest.run) throw new Error(`${id} must be off to be resized`);
    if (diskGb < guest.diskGb)
      throw new DiskShrinkError(`the disk of ${id} has ${guest.diskGb} GB and cannot shrink to ${diskGb}`);
    Object.assign(guest, { vcpu, ramMb, diskGb, dedicated });
  };
