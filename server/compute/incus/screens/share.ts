import { systemClock } from '../../../platform/clock.ts';

/** A part of a thread's time: does one piece of work after the other, and rests after each, so that it takes no more. */
export class Share {
  readonly #share: number;
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
      return systemClock.sleep(ms / this.#share - ms);
    };
    this.#rested = done.then(rest, rest);
    return done;
  }
}
