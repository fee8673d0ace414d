import { roomOf, shareRoom } from '../../../platform/file-system-room.ts';
import { CapacityError } from '../../driver.ts';

const MEGABYTE = 1_048_576;
/** Initial space for a new guest or a snapshot, and the free space that a paused guest needs to resume. */
const LEAST_BYTES = 64 * MEGABYTE;

export interface PoolParts {
  /** Directory that contains the guests' directories. */
  directory: string;
  /** Bytes that guests leave free if they share a file system with `beside`. */
  reserve?: { bytes: number; beside: string };
}

/** The file system of the guests' disks, and how much of it they may use. */
export class Pool {
  readonly #parts: PoolParts;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Returns the bytes kept free for other uses: 0 if nothing else is on that file system. */
  async reservedBytes(): Promise<number> {
    const { directory, reserve } = this.#parts;
    return reserve && (await shareRoom(directory, reserve.beside)) ? reserve.bytes : 0;
  }

  /** Returns the bytes that guests may still use; negative once they use part of the reserve. */
  async roomBytes(): Promise<number> {
    return (await roomOf(this.#parts.directory)).freeBytes - (await this.reservedBytes());
  }

  /** Returns whether a paused guest may resume. */
  async hasRoom(): Promise<boolean> {
    return (await this.roomBytes()) >= LEAST_BYTES;
  }

  /** Throws {@link CapacityError} if there is no space for anything new. */
  async requireRoom(): Promise<void> {
    const room = await this.roomBytes();
    if (room >= LEAST_BYTES) return;
    const left = Math.max(0, Math.floor(room / MEGABYTE));
    throw new CapacityError(`the pool of guests' disks has ${left} MB free in addition to its reserve`);
  }
}
