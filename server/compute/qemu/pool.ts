import { roomOf, shareRoom } from '../../platform/file-system-room.ts';
import { CapacityError } from '../driver.ts';

const MEGABYTE = 1_048_576;
/** What a new guest, or a snapshot, takes at once, and a guest that stood still needs to go on. */
const LEAST_BYTES = 64 * MEGABYTE;

export interface PoolParts {
  /** Of the guests' directories. */
  directory: string;
  /** What guests leave free where their file system is also that of `beside`, in bytes. */
  reserve?: { bytes: number; beside: string };
}

/** The file system that the guests' disks are in, and what they may take of it. */
export class Pool {
  readonly #parts: PoolParts;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** What is kept free for others, in bytes: 0 where nothing else is on that file system. */
  async reservedBytes(): Promise<number> {
    const { directory, reserve } = this.#parts;
    return reserve && (await shareRoom(directory, reserve.beside)) ? reserve.bytes : 0;
  }

  /** What guests may still take; below 0 once they have taken of the reserve. */
  async roomBytes(): Promise<number> {
    return (await roomOf(this.#parts.directory)).freeBytes - (await this.reservedBytes());
  }

  /** Whether a guest that stood still may go on. */
  async hasRoom(): Promise<boolean> {
    return (await this.roomBytes()) >= LEAST_BYTES;
  }

  /** {@link CapacityError} where there is no room for anything new. */
  async requireRoom(): Promise<void> {
    const room = await this.roomBytes();
    if (room >= LEAST_BYTES) return;
    const left = Math.max(0, Math.floor(room / MEGABYTE));
    throw new CapacityError(`the pool of guests' disks has ${left} MB left, beside its reserve`);
  }
}
