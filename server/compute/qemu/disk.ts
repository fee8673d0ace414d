import { chmod, lstat } from 'node:fs/promises';
import { parseJson } from '../../platform/peer/json.ts';
import { CapacityError } from '../driver.ts';
import { DISK_NODE } from './arguments.ts';
import { run } from './command.ts';
import { checkDisk } from './disk-header.ts';
import { type DiskOwner, type ImageCommand, QEMU_IMG } from './disk-image.ts';
import type { Guest } from './guest.ts';
import { writeGuestFile } from './guest-file.ts';
import type { Monitor } from './qmp.ts';

/** A gigabyte of a plan, as it is sold: a multiple of a sector, like 512 times anything. */
export const GIGABYTE = 1_000_000_000;

/** Deleting a snapshot frees what only it held, which takes a large disk its time. */
const DELETE_MS = 300_000;
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

/**
 * Makes a disk that holds what `base` does and keeps what differs. `base` is never written to. Nothing that lies at `path`
 * is written to: the file is made first, and as the service's no guest can replace it.
 */
export async function createOverlay(path: string, base: string, diskGb: number): Promise<void> {
  await writeGuestFile(path, '', SHARED_FILE_MODE);
  await run(QEMU_IMG, 'create', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', base, path, `${diskGb * GIGABYTE}`);
  await chmod(path, SHARED_FILE_MODE);
}

/** Bytes that the disk takes on the host: the guest's own, without those of its image. */
export async function allocatedBytes(path: string): Promise<number> {
  return (await lstat(path)).blocks * BLOCK_BYTES;
}

/** Does something with the disk of a guest that is off, in a process with no more rights than the guest's own. */
export type RunImage = (owner: DiskOwner, command: ImageCommand) => Promise<string>;

/** The disk of a guest that is off. Its header is checked before each command: the guest's QEMU could write to it. */
export class OfflineDisk implements DiskSnapshots {
  readonly #guest: Guest;
  readonly #run: RunImage;

  constructor(guest: Guest, run: RunImage) {
    this.#guest = guest;
    this.#run = run;
  }

  /** Grows it; one of that size already is a success. */
  async grow(diskGb: number): Promise<void> {
    const bytes = diskGb * GIGABYTE;
    if ((await this.#info())['virtual-size'] < bytes) await this.#do({ do: 'grow', bytes });
  }

  /** Mends what a program that was cut off has left in it: space that is counted wrongly. */
  async mend(): Promise<void> {
    await this.#do({ do: 'mend' });
  }

  /** Brings it back to one of its snapshots, all of which stay. */
  async revert(snapshot: string): Promise<void> {
    await this.#do({ do: 'revert', snapshot });
  }

  async names(): Promise<string[]> {
    return ((await this.#info()).snapshots ?? []).map(({ name }) => name);
  }

  async take(snapshot: string): Promise<void> {
    await this.#do({ do: 'take', snapshot });
  }

  async drop(snapshot: string): Promise<void> {
    await this.#do({ do: 'drop', snapshot });
  }

  async #info(): Promise<ImageInfo> {
    return parseJson(await this.#do({ do: 'info' }), 'qemu-img') as ImageInfo;
  }

  async #do(command: ImageCommand): Promise<string> {
    const { directory, record } = this.#guest;
    await checkGuestDisk(this.#guest);
    return this.#run({ id: record.id, uid: record.uid, directory }, command);
  }
}

/** Refuses a guest's disk whose header names other files than it was made with. */
export async function checkGuestDisk(guest: Guest): Promise<void> {
  await checkDisk(guest.file('disk'), guest.record.base).catch((error) => {
    throw new Error(`the disk of ${guest.id} is not used: ${error.message}`, { cause: error });
  });
}

/** Snapshots inside one disk. QEMU does it for a running guest: no other process may write to a disk in use. */
export interface DiskSnapshots {
  names(): Promise<string[]>;
  take(name: string): Promise<void>;
  drop(name: string): Promise<void>;
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
