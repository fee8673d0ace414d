import type { Clock } from '../../platform/clock.ts';
import type { Pool } from './pool.ts';

/** How soon a guest goes on once there is room. */
const LOOK_EVERY_MS = 5_000;
/** One that stands still again so soon has the same trouble, which has been reported. */
const CALM_MS = 60_000;

export interface DiskSpaceWatchParts {
  clock: Clock;
  pool: Pick<Pool, 'hasRoom'>;
  /** Lets the guest go on; what it could not write is written then. */
  resume(): Promise<void>;
  /** Called when trouble begins, once until it is over. */
  onTrouble(): void;
  onCalm(): void;
}

/**
 * Looks after a guest that was stopped because there is no room for its disk, by QEMU or by the pool's guard: nothing is lost while it
 * stands still, and it goes on as soon as there is room.
 */
export class DiskSpaceWatch {
  readonly #parts: DiskSpaceWatchParts;
  readonly #signal: AbortSignal;
  #stalled = false;
  #watching = false;

  constructor(parts: DiskSpaceWatchParts, signal: AbortSignal) {
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
      // The guest is gone, or the service goes: the next to adopt it sees how it stands.
      .catch(() => {})
      .finally(() => {
        this.#watching = false;
      });
  }

  async #watch(): Promise<void> {
    const { clock, pool, resume, onCalm } = this.#parts;
    while (this.#stalled) {
      await clock.sleep(LOOK_EVERY_MS, this.#signal);
      if (!(await pool.hasRoom())) continue;
      this.#stalled = false;
      await resume();
      await clock.sleep(CALM_MS, this.#signal);
    }
    onCalm();
  }
}
