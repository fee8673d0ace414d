import type { Clock } from '../platform/clock.ts';
import { RESIZE_MS } from './limits.ts';
import type { TerminalSize } from './terminal.ts';

/** Applies requested sizes, however many arrive: at most one per {@link RESIZE_MS}, and always the last. */
export class Resizer {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #apply: (size: TerminalSize) => void;
  #current: TerminalSize | undefined;
  #wanted: TerminalSize | undefined;
  #resting = false;

  /** Calls `apply` until `signal` aborts; never with the current size. */
  constructor(clock: Clock, signal: AbortSignal, apply: (size: TerminalSize) => void) {
    this.#clock = clock;
    this.#signal = signal;
    this.#apply = apply;
  }

  ask(size: TerminalSize): void {
    this.#wanted = size;
    if (!this.#resting) void this.#carryOut();
  }

  async #carryOut(): Promise<void> {
    this.#resting = true;
    while (this.#wanted && !this.#signal.aborted) {
      const size = this.#wanted;
      this.#wanted = undefined;
      if (size.cols === this.#current?.cols && size.rows === this.#current.rows) continue;
      this.#current = size;
      this.#apply(size);
      await this.#clock.sleep(RESIZE_MS, this.#signal).catch(() => {});
    }
    this.#resting = false;
  }
}
