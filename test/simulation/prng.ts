import { seeded } from '../../server/platform/synthetic-load.ts';

/** Repeatable randomness: the same text gives the same sequence. */
export class Prng {
  readonly #next: () => number;

  constructor(seed: string) {
    this.#next = seeded(seed);
  }

  /** From 0 (included) to 1 (excluded). */
  fraction(): number {
    return this.#next();
  }

  /** Returns an integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** Returns one of `items`; undefined if there are none. */
  pick<T>(items: readonly [T, ...T[]]): T;
  pick<T>(items: readonly T[]): T | undefined;
  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#next() * items.length)];
  }

  /** Returns one of the keys, each as often as its weight says. */
  weighted<K extends string>(weights: Record<K, number>): K {
    const entries = Object.entries(weights) as [K, number][];
    let rest = this.#next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      rest -= weight;
      if (rest < 0) return key;
    }
    return entries.at(-1)![0];
  }
}
