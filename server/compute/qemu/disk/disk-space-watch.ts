import type { Clock } from '../../../platform/clock.ts';
import type { Pool } from './pool.ts';

/** Delay until a guest resumes once there is space. */
const LOOK_EVERY_MS = 5_000;
/** If a guest stops again within this time, it is the same trouble, which has already been reported. */
const CALM_MS = 60_000;

export interface DiskSpaceWatchParts {
  clock: Clock;
  pool: Pick<Pool, 'hasRoom'>;
  /** Resumes the guest, which then retries its failed writes. */
  resume(): Promise<void>;
  /** Called when trouble begins, once until it is over. */
  onTrouble(): void;
  onCalm(): void;
}

/**
 * Watches a guest that QEMU or the pool guard paused because there is no space for its disk. Nothing is lost while it
 * is paused, and it resumes as soon as there is space.
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

  /** Call each time the guest is paused for lack of space. */
  stalled(): void {
    this.#stalled = true;
    if (this.#watching) return;
    this.#watching = true;
    this.#parts.onTrouble();
    this.#watch()
      // The guest is gone or the service is stopping; the next service to adopt the guest will see its state.
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
