import { systemClock } from '../../../platform/clock.ts';

/** A shorter rest is saved up until more work is done: no timer is that precise. */
const MIN_REST_MS = 1;

/** A share of a thread's time. It runs one piece of work after the other and rests after each to stay within its share. */
export class Share {
  readonly #share: number;
  /** Rest not yet taken for finished work. */
  #owedMs = 0;
  #rested: Promise<unknown> = Promise.resolve();

  /** `share` is between 0 and 1. */
  constructor(share: number) {
    this.#share = share;
  }

  take<T>(work: () => Promise<T>): Promise<T> {
    let startedAt = 0;
    const done = this.#rested.then(() => {
      startedAt = performance.now();
      return work();
    });
    const rest = () => {
      const ms = performance.now() - startedAt;
      this.#owedMs += ms / this.#share - ms;
      if (this.#owedMs < MIN_REST_MS) return;
      const rest = this.#owedMs;
      this.#owedMs = 0;
      return systemClock.sleep(rest);
    };
    this.#rested = done.then(rest, rest);
    return done;
  }
}
