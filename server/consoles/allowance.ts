import type { Clock } from '../platform/clock.ts';

/**
 * What may be spent at a steady rate, with some in hand to begin with (the generic cell rate algorithm). Whatever is
 * spent is counted as the milliseconds in which it is earned again.
 */
export class Allowance {
  readonly #clock: Clock;
  readonly #inHandMs: number;
  readonly #mostOwedMs: number;
  #spentAt = 0;
  /** When all that was spent will have been earned again. */
  #evenAt = 0;

  constructor(clock: Clock, inHandMs: number, mostOwedMs = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#inHandMs = inHandMs;
    this.#mostOwedMs = mostOwedMs;
  }

  /** Whether all that was spent has been earned again. */
  get isWhole(): boolean {
    return this.#evenAt <= this.#clock.now().getTime();
  }

  /** Spends, also what is not there; for how many milliseconds nothing more should be spent. */
  spend(ms: number): number {
    const now = this.#clock.now().getTime();
    // The host's time was set back: what was spent is long past, and nothing must wait for it to come again.
    if (now < this.#spentAt) this.#evenAt = now;
    this.#spentAt = now;
    const evenAt = Math.max(this.#evenAt, now) + ms;
    this.#evenAt = Math.min(evenAt, now + this.#inHandMs + this.#mostOwedMs);
    return Math.max(0, this.#evenAt - this.#inHandMs - now);
  }
}
