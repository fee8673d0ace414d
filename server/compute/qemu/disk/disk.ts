import { chmod, lstat } from 'node:fs/promises';
import { parseJson } from '../../../platform/peer/json.ts';
import { CapacityError } from '../../driver.ts';
import type { Guest } from '../guest/guest.ts';
import { writeGuestFile } from '../guest/guest-file.ts';
import { DISK_NODE } from '../process/arguments.ts';
import { run } from '../process/command.ts';
import type { Monitor } from '../process/qmp.ts';
import { checkDisk } from './disk-header.ts';
import { type DiskOwner, type ImageCommand, QEMU_IMG } from './disk-image.ts';

/** Plans are sold in decimal gigabytes. A multiple of the 512-byte sector. */
export const GIGABYTE = 1_000_000_000;

/** Deleting a snapshot frees the space used only by it, which takes a while on a large disk. */
const DELETE_MS = 300_000;
const BLOCK_BYTES = 512;

/** Mode of files that QEMU opens: it may run as another user, which shares a group with the service. */
export const SHARED_FILE_MODE = 0o660;

/** Returns the error, converted to {@link CapacityError} if the kernel or a program reports that there is no space. */
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
 * Creates a disk with the content of `base` that stores only the differences. `base` is never written to. An existing
 * file at `path` is replaced, not written to: the new file is created first and belongs to the service, so no guest can
 * replace it.
 */
export async function createOverlay(path: string, base: string, diskGb: number): Promise<void> {
  await writeGuestFile(path, '', SHARED_FILE_MODE);
  await run(QEMU_IMG, 'create', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', base, path, `${diskGb * GIGABYTE}`);
  await chmod(path, SHARED_FILE_MODE);
}

/** Returns the bytes that the disk uses on the host, without its image. */
export async function allocatedBytes(path: string): Promise<number> {
  return (await lstat(path)).blocks * BLOCK_BYTES;
}

/** Runs a command on the disk of a guest that is off, in a process with no more permissions than the guest's own. */
export type RunImage = (owner: DiskOwner, command: ImageCommand) => Promise<string>;

/**
 * The disk of a guest that is off. Its header is checked before each command, because the guest's QEMU could write to
 * it.
 */
export class OfflineDisk implements DiskSnapshots {
  readonly #guest: Guest;
  readonly #run: RunImage;

  constructor(guest: Guest, run: RunImage) {
    this.#guest = guest;
    this.#run = run;
  }

  /** Grows the disk. Succeeds if it already has that size. */
  async grow(diskGb: number): Promise<void> {
    const bytes = diskGb * GIGABYTE;
    if ((await this.#info())['virtual-size'] < bytes) await this.#do({ do: 'grow', bytes });
  }

  /** Repairs what an interrupted program has left: wrong reference counts. */
  async mend(): Promise<void> {
    await this.#do({ do: 'mend' });
  }

  /** Reverts the disk to one of its snapshots. All snapshots are kept. */
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

/** Throws if the header of a guest's disk names files other than those it was created with. */
export async function checkGuestDisk(guest: Guest): Promise<void> {
  await checkDisk(guest.file('disk'), guest.record.base).catch((error) => {
    throw new Error(`the disk of ${guest.id} cannot be used: ${error.message}`, { cause: error });
  });
}

/** Snapshots inside one disk. QEMU makes them for a running guest, because no other process may write to a disk in use. */
export interface DiskSnapshots {
  names(): Promise<string[]>;
  take(name: string): Promise<void>;
  drop(name: string): Promise<void>;
}

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
