import { chmod, stat } from 'node:fs/promises';
import { CapacityError } from '../driver.ts';
import { DISK_NODE } from './arguments.ts';
import { run } from './command.ts';
import type { Monitor } from './qmp.ts';

/** A gigabyte of a plan, as it is sold: a multiple of a sector, like 512 times anything. */
export const GIGABYTE = 1_000_000_000;

/** Deleting a snapshot frees what only it held, which takes a large disk its time. */
const DELETE_MS = 300_000;
const QEMU_IMG = 'qemu-img';
const BLOCK_BYTES = 512;

/** Of what QEMU opens: it may run as a user of its own, which shares a group with the service. */
export const SHARED_FILE_MODE = 0o660;

/** The error, as {@link CapacityError} where the kernel, or a program that it told so, says that there is no room. */
export function asCapacity(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const full = code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device/.test(message);
  return full ? new CapacityError(message, { cause: error }) : error;
}

interface ImageInfo {
  'virtual-size': number;
  snapshots?: { name: string }[];
}

/** Makes a disk that holds what `base` does and keeps what differs. `base` is never written to. */
export async function createOverlay(path: string, base: string, diskGb: number): Promise<void> {
  await run(QEMU_IMG, 'create', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', base, path, `${diskGb * GIGABYTE}`);
  await chmod(path, SHARED_FILE_MODE);
}

/** Grows the disk of a guest that is off; one of that size already is a success. */
export async function growDisk(path: string, diskGb: number): Promise<void> {
  const bytes = diskGb * GIGABYTE;
  if ((await imageInfo(path))['virtual-size'] >= bytes) return;
  await run(QEMU_IMG, 'resize', '-q', '-f', 'qcow2', path, `${bytes}`);
}

/** Bytes that the disk takes on the host: the guest's own, without those of its image. */
export async function allocatedBytes(path: string): Promise<number> {
  return (await stat(path)).blocks * BLOCK_BYTES;
}

async function imageInfo(path: string): Promise<ImageInfo> {
  return JSON.parse(await run(QEMU_IMG, 'info', '--output=json', path)) as ImageInfo;
}

/** Mends what a program that was cut off has left in a disk: space that is counted wrongly. */
export async function mendDisk(path: string): Promise<void> {
  await run(QEMU_IMG, 'check', '-q', '-r', 'all', '-f', 'qcow2', path);
}

/** Brings the disk of a guest that is off back to one of its snapshots, all of which stay. */
export async function revertDisk(path: string, snapshot: string): Promise<void> {
  await run(QEMU_IMG, 'snapshot', '-q', '-a', snapshot, path);
}

/** Snapshots inside one disk. QEMU does it for a running guest: no other process may write to a disk in use. */
export interface DiskSnapshots {
  names(): Promise<string[]>;
  take(name: string): Promise<void>;
  drop(name: string): Promise<void>;
}

/** Of a guest that is off. */
export function snapshotsOffline(path: string): DiskSnapshots {
  return {
    names: async () => ((await imageInfo(path)).snapshots ?? []).map(({ name }) => name),
    take: async (name) => {
      await run(QEMU_IMG, 'snapshot', '-c', name, path);
    },
    drop: async (name) => {
      await run(QEMU_IMG, 'snapshot', '-d', name, path);
    },
  };
}

/** Of a running guest. */
export function snapshotsLive(monitor: Monitor): DiskSnapshots {
  return {
    async names() {
      const nodes =
        await monitor.execute<{ 'node-name': string; image: ImageInfo }[]>('query-named-block-nodes');
      const disk = nodes.find((node) => node['node-name'] === DISK_NODE);
      return (disk?.image.snapshots ?? []).map(({ name }) => name);
    },
    async take(name) {
      await monitor.execute('blockdev-snapshot-internal-sync', { device: DISK_NODE, name });
    },
    async drop(name) {
      await monitor.execute('blockdev-snapshot-delete-internal-sync', { device: DISK_NODE, name }, DELETE_MS);
    },
  };
}
