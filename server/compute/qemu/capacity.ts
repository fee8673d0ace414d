import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { HostCapacity, Resources } from '../driver.ts';
import { FILES, translationCacheMb } from './arguments.ts';
import type { Cores } from './cores.ts';
import { allocatedBytes, GIGABYTE } from './disk.ts';

export interface CapacitySettings {
  /** Virtual CPUs sold for each CPU of the host that guests share. */
  cpuOvercommit: number;
  /** Of all guests together; when absent, what the host has but {@link HOST_MEMORY_MB}. */
  memoryMb?: number;
  /** Of all guests together; when absent, the file system but {@link HOST_DISK_SHARE} and what else is on it. */
  diskGb?: number;
}

const MEGABYTE = 1_048_576;
/** Left to the host and the service. */
const HOST_MEMORY_MB = 1_024;
/** Left free: a full file system stops every guest that writes. */
const HOST_DISK_SHARE = 0.1;
/** QEMU's own beside its guest's memory, as docs/qemu.md has it measured, and its page tables as a share of that. */
const PROCESS_MB = 96;
const PAGE_TABLES_SHARE = 1 / 256;
/** Seed, logs and records; the disk's own tables are a hundredth of a percent of it. */
const FILES_GB = 0.02;

/** Memory of all guests together. */
export function memoryMb({ memoryMb }: CapacitySettings): number {
  return memoryMb ?? Math.floor(totalmem() / MEGABYTE) - HOST_MEMORY_MB;
}

/** What QEMU takes on this host for a guest of that much memory, beside the guest's own. */
export function overheadOf(accelerator: 'kvm' | 'tcg'): HostCapacity['overhead'] {
  return (ramMb) => ({
    ramMb:
      PROCESS_MB +
      Math.ceil(ramMb * PAGE_TABLES_SHARE) +
      (accelerator === 'tcg' ? translationCacheMb(ramMb) : 0),
    diskGb: FILES_GB,
  });
}

/**
 * What guests of this host may have together, when their disks are in `directory`, each in one of these, and so many
 * bytes of its file system are for others.
 */
export async function hostResources(
  directory: string,
  guests: readonly string[],
  reservedBytes: number,
  settings: CapacitySettings,
  cores: Cores,
): Promise<Resources> {
  return {
    vcpu: Math.floor(cores.shared * settings.cpuOvercommit),
    cores: cores.aside,
    ramMb: memoryMb(settings),
    diskGb: settings.diskGb ?? (await roomForDisks(directory, guests, reservedBytes)),
  };
}

/** Images, logs, warm templates, the database and whatever else is there are no room for guests' disks. */
async function roomForDisks(
  directory: string,
  guests: readonly string[],
  reservedBytes: number,
): Promise<number> {
  const { blocks, bavail, bsize } = await statfs(directory);
  const files = guests.flatMap((guest) =>
    [FILES.disk, FILES.nextDisk, FILES.formerDisk].map((disk) => join(directory, guest, disk)),
  );
  // Not there: one of a guest that is just being made or removed, or that is not being rebuilt.
  const sizes = await Promise.all(files.map((file) => allocatedBytes(file).catch(() => 0)));
  const disks = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const bytes = bavail * bsize + disks - blocks * bsize * HOST_DISK_SHARE - reservedBytes;
  return Math.max(0, Math.floor(bytes / GIGABYTE));
}
