import type { Clock } from '../platform/clock.ts';

/**
 * A budget that refills at a steady rate, with an initial reserve (the generic cell rate algorithm). Amounts are
 * measured in the milliseconds it takes to earn them back.
 */
export class Allowance {
  readonly #clock: Clock;
  readonly #inHandMs: number;
  readonly #mostOwedMs: number;
  #spentAt = 0;
  /** When everything spent will have been earned back. */
  #evenAt = 0;

  constructor(clock: Clock, inHandMs: number, mostOwedMs = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#inHandMs = inHandMs;
    this.#mostOwedMs = mostOwedMs;
  }

  /** True if everything spent has been earned back. */
  get isWhole(): boolean {
    return this.#evenAt <= this.#clock.now().getTime();
  }

  /** Spends, even beyond the reserve. Returns for how many milliseconds nothing more should be spent. */
  spend(ms: number): number {
    const now = this.#clock.now().getTime();
    // The host's clock was set back: the debt is from long ago, and nothing must wait until that time comes again.
    if (now < this.#spentAt) this.#evenAt = now;
    this.#spentAt = now;
    const evenAt = Math.max(this.#evenAt, now) + ms;
    this.#evenAt = Math.min(evenAt, now + this.#inHandMs + this.#mostOwedMs);
    return Math.max(0, this.#evenAt - this.#inHandMs - now);
  }
}
