import { statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { CapacityError, type GuestSize } from '../driver.ts';
import { GIGABYTE } from './disk.ts';

export interface CapacitySettings {
  /** Virtual CPUs sold for each CPU of the host. */
  cpuOvercommit: number;
  /** Of all guests together; when absent, what the host has but {@link HOST_MEMORY_MB}. */
  memoryMb?: number;
  /** Of all guests together; when absent, the size of the file system but {@link HOST_DISK_SHARE}. */
  diskGb?: number;
}

const MEGABYTE = 1_048_576;
/** Left to the host and the service. */
const HOST_MEMORY_MB = 1_024;
/** What QEMU itself takes beside its guest's memory. */
const GUEST_OVERHEAD_MB = 64;
/** Left for images, logs and the database. */
const HOST_DISK_SHARE = 0.1;

/** What guests of this host may have together, when their disks are in `directory`. */
export async function hostCapacity(directory: string, settings: CapacitySettings): Promise<GuestSize> {
  const { blocks, bsize } = await statfs(directory);
  return {
    vcpu: Math.floor(availableParallelism() * settings.cpuOvercommit),
    ramMb: settings.memoryMb ?? Math.floor(totalmem() / MEGABYTE) - HOST_MEMORY_MB,
    diskGb: settings.diskGb ?? Math.floor((blocks * bsize * (1 - HOST_DISK_SHARE)) / GIGABYTE),
  };
}

/**
 * Throws {@link CapacityError} when `size` does not fit beside `guests`. Those that are off count like the others:
 * their customers may switch them on at any time, and nobody refuses them then.
 */
export function checkCapacity(capacity: GuestSize, guests: GuestSize[], size: GuestSize): void {
  const cost = { vcpu: 0, ramMb: GUEST_OVERHEAD_MB, diskGb: 0 };
  for (const part of ['vcpu', 'ramMb', 'diskGb'] as const) {
    const used = guests.reduce((sum, guest) => sum + guest[part] + cost[part], 0);
    const left = capacity[part] - used;
    if (size[part] + cost[part] > left)
      throw new CapacityError(`this host has ${Math.max(0, left)} ${part} left, not ${size[part]}`);
  }
}
