import type { Volume } from '../edge/driver.ts';
import type { Rate } from './baseline.ts';
import { rateOf } from './observation.ts';

/** What came in during a while, and what of it passed. */
export interface Rates {
  rate: Rate;
  passed: Rate;
}

/** The mean of so long may show an attack that no look does, as each look sees a part of it only. In milliseconds. */
export const SPANS_MS = [1_000, 4_000] as const;
const LONGEST_MS = Math.max(...SPANS_MS);

interface Reading {
  at: number;
  in: Volume;
  passed: Volume;
}

/** The readings of a target's totals in the last seconds. */
export class Recent {
  #readings: Reading[] = [];

  /** Takes a reading that is later than those before, of counters that went on since. */
  add(at: Date, { in: all, passed }: Omit<Reading, 'at'>): void {
    const now = at.getTime();
    // One that is older than the longest span stays, as spans begin at the reading that is nearest.
    while (this.#readings.length > 1 && now - this.#readings[1]!.at > LONGEST_MS) this.#readings.shift();
    this.#readings.push({ at: now, in: all, passed });
  }

  /** Counters have restarted, or time has. */
  restart(): void {
    this.#readings = [];
  }

  /** The mean of about the last `ms`, or of what is known of it; undefined before there are two readings. */
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
