import { DiskShrinkError, type GuestSize, type GuestVolume } from '../../driver.ts';
import { allocatedBytes, OfflineDisk, type RunImage } from '../disk/disk.ts';
import { coolDown } from '../images/clone.ts';
import type { Guest } from './guest.ts';

/** Changes the size of a guest that is off. Its disk can only grow. */
export async function resizeGuest(
  guest: Guest,
  { vcpu, ramMb, diskGb, disk, dedicated }: GuestSize,
  image: RunImage,
): Promise<void> {
  const { id, run, record } = guest;
  if (run) throw new Error(`${id} must be off to be resized`);
  if (diskGb < record.diskGb)
    throw new DiskShrinkError(`the disk of ${id} has ${record.diskGb} GB and cannot shrink to ${diskGb}`);
  await coolDown(guest);
  await new OfflineDisk(guest, image).grow(diskGb);
  await guest.save({ vcpu, ramMb, diskGb, disk, dedicated, cpus: undefined });
}

/** Returns the guest's only volume, as the guest sees it. */
export async function volumeOf(guest: Guest): Promise<GuestVolume> {
  const usedBytes = await allocatedBytes(guest.file('disk'));
  const { diskGb: sizeGb } = guest.record;
  return { name: 'root', sizeGb, usedBytes, type: 'ssd', boot: true, device: '/dev/vda' };
}
