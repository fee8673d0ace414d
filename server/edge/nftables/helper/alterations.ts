import type { Clock } from '../../../platform/clock.ts';

/** An answer after so long, so that a wait never looks like a helper that hangs. */
const ANSWER_WITHIN_MS = 60_000;

/** Remembers that something was altered until it is asked for. */
export class Alterations {
  readonly #clock: Clock;
  #altered = false;
  #wake = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(): void {
    this.#altered = true;
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** True as soon as something was altered since it was last asked for, false after a while. */
  async altered(): Promise<boolean> {
    if (!this.#altered) await this.#clock.sleep(ANSWER_WITHIN_MS, this.#wake.signal).catch(() => {});
    const altered = this.#altered;
    this.#altered = false;
    return altered;
  }
}
