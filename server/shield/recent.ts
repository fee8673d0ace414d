import type { Volume } from '../edge/driver.ts';
import type { Rate } from './baseline.ts';
import { rateOf } from './observation.ts';

export interface Rates {
  rate: Rate;
  passed: Rate;
}

/**
 * Averages over these spans can show an attack that no single look shows because each look sees only part of it.
 * Milliseconds.
 */
export const SPANS_MS = [1_000, 4_000] as const;
const LONGEST_MS = Math.max(...SPANS_MS);

interface Reading {
  at: number;
  in: Volume;
  passed: Volume;
}

export class Recent {
  #readings: Reading[] = [];

  /** Adds a reading, which must be later than the previous ones and from counters that have not restarted since. */
  add(at: Date, { in: all, passed }: Omit<Reading, 'at'>): void {
    const now = at.getTime();
    // Keep one reading older than the longest span: spans start at the nearest reading.
    while (this.#readings.length > 1 && now - this.#readings[1]!.at > LONGEST_MS) this.#readings.shift();
    this.#readings.push({ at: now, in: all, passed });
  }

  /** Forgets all readings, because the counters or the clock restarted. */
  restart(): void {
    this.#readings = [];
  }

  /**
   * Returns the mean over about the last `ms`, or over as much as is known; undefined with fewer than two readings.
   */
  over(ms: number): Rates | undefined {
    const last = this.#readings.at(-1);
    if (!last || this.#readings.length < 2) return undefined;
    const wanted = last.at - ms;
    const first = this.#readings
      .slice(0, -1)
      .reduce((best, one) => (Math.abs(one.at - wanted) < Math.abs(best.at - wanted) ? one : best));
    const seconds = (last.at - first.at) / 1000;
    return {
      rate: rateOf(last.in, first.in, seconds),
      passed: rateOf(last.passed, first.passed, seconds),
    };
  }
}
