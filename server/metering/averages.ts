import { pointsOf, type Window } from './window.ts';

/** Factor of the decimals that are kept, three: finer than anything measured. */
const PRECISION = 1000;

/** A point of a series: the start of the step in epoch seconds, and its average, or null for a gap. */
export type Point = [at: number, value: number | null];

/** Averages one series over the steps of a window. Accepts values of any resolution in any order. */
export class Averages {
  readonly #window: Window;
  readonly #sums: Float64Array;
  readonly #weights: Float64Array;

  constructor(window: Window) {
    this.#window = window;
    this.#sums = new Float64Array(pointsOf(window));
    this.#weights = new Float64Array(pointsOf(window));
  }

  /** Adds a value that covers `durationMs` from `atMs` (epoch). Ignores null and anything outside the window. */
  add(atMs: number, value: number | null, durationMs: number): void {
    const { start, stepSeconds } = this.#window;
    const index = Math.floor((atMs - start.getTime()) / (stepSeconds * 1000));
    if (value === null || index < 0 || index >= this.#sums.length) return;
    this.#sums[index]! += value * durationMs;
    this.#weights[index]! += durationMs;
  }

  /** Returns one point per step of the window. */
  points(): Point[] {
    const start = this.#window.start.getTime() / 1000;
    return Array.from(this.#sums, (sum, index) => {
      const weight = this.#weights[index]!;
      const value = weight === 0 ? null : Math.round((sum / weight) * PRECISION) / PRECISION;
      return [start + index * this.#window.stepSeconds, value];
    });
  }
}
