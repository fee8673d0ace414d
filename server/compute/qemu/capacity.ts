import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { HostCapacity, Resources } from '../driver.ts';
import { allocatedBytes, GIGABYTE } from './disk/disk.ts';
import { FILES, translationCacheMb } from './process/arguments.ts';
import type { Cores } from './process/cores.ts';

export interface CapacitySettings {
  /** Virtual CPUs sold per shared CPU of the host. */
  cpuOvercommit: number;
  /** Memory for all guests together. If absent, the host's memory minus {@link HOST_MEMORY_MB}. */
  memoryMb?: number;
  /**
   * Disk space for all guests together. If absent, the file system minus {@link HOST_DISK_SHARE} and everything else on
   * it.
   */
  diskGb?: number;
}

const MEGABYTE = 1_048_576;
/** Reserved for the host and the service. */
const HOST_MEMORY_MB = 1_024;
/** Kept free: a full file system stops every guest that writes. */
const HOST_DISK_SHARE = 0.1;
/**
 * QEMU's own memory in addition to its guest's, as measured in docs/qemu.md, and its page tables as a share of the
 * guest's memory.
 */
const PROCESS_MB = 96;
const PAGE_TABLES_SHARE = 1 / 256;
/** For the seed, logs and records. The disk's own tables take only 0.01 % of its size. */
const FILES_GB = 0.02;

export function memoryMb({ memoryMb }: CapacitySettings): number {
  return memoryMb ?? Math.floor(totalmem() / MEGABYTE) - HOST_MEMORY_MB;
}

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
 * Returns what the guests of this host may use together. Their disks are in these subfolders of `directory`, and
 * `reservedBytes` of its file system are for other purposes.
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

/** Images, logs, warm templates, the database and everything else on the file system reduce the space for guests' disks. */
async function roomForDisks(
  directory: string,
  guests: readonly string[],
  reservedBytes: number,
): Promise<number> {
  const { blocks, bavail, bsize } = await statfs(directory);
  const files = guests.flatMap((guest) =>
    [FILES.disk, FILES.nextDisk, FILES.formerDisk].map((disk) => join(directory, guest, disk)),
  );
  // Missing files are normal: the guest is being created or removed, or is not being rebuilt.
  const sizes = await Promise.all(files.map((file) => allocatedBytes(file).catch(() => 0)));
  const disks = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const bytes = bavail * bsize + disks - blocks * bsize * HOST_DISK_SHARE - reservedBytes;
  return Math.max(0, Math.floor(bytes / GIGABYTE));
}
