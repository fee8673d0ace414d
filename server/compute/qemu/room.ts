import { statfs } from 'node:fs/promises';
import type { Clock } from '../../platform/clock.ts';

/** How soon a guest goes on once there is room. */
const LOOK_EVERY_MS = 5_000;
/** A guest that goes on needs some, or it would stand still again at once. */
const ROOM_BYTES = 64 * 1_048_576;
/** One that stands still again so soon is in the same trouble, of which has been told. */
const CALM_MS = 60_000;

export interface RoomParts {
  clock: Clock;
  /** Where the guest's disk is. */
  directory: string;
  /** Lets the guest go on; what it could not write is written then. */
  resume(): Promise<void>;
  /** Called when trouble begins, once until it is over. */
  onTrouble(): void;
  onCalm(): void;
}

/**
 * Looks after a guest that QEMU has stopped because the file system of its disk is full: nothing is lost while it
 * stands still, and it goes on as soon as there is room.
 */
export class Room {
  readonly #parts: RoomParts;
  readonly #signal: AbortSignal;
  #stalled = false;
  #watching = false;

  constructor(parts: RoomParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /** To be called whenever the guest was stopped so. */
  stalled(): void {
    this.#stalled = true;
    if (this.#watching) return;
    this.#watching = true;
    this.#parts.onTrouble();
    this.#watch()
      // The guest is gone, or the service goes: whoever takes hold of it next sees how it stands.
      .catch(() => {})
      .finally(() => {
        this.#watching = false;
      });
  }

  async #watch(): Promise<void> {
    const { clock, directory, resume, onCalm } = this.#parts;
    while (this.#stalled) {
      await clock.sleep(LOOK_EVERY_MS, this.#signal);
      const { bavail, bsize } = await statfs(directory);
      if (bavail * bsize < ROOM_BYTES) continue;
      this.#stalled = false;
      await resume();
      await clock.sleep(CALM_MS, this.#signal);
    }
    onCalm();
  }
}
