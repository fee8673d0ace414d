import { systemClock } from '../../../platform/clock.ts';
import { SerialQueue } from '../../../platform/serial-queue.ts';

/** A shorter rest is saved up until more work is done: no timer is that precise. */
const MIN_REST_MS = 1;

/** A share of a thread's time. It runs one piece of work after the other and rests after each to stay within its share. */
export class Share {
  readonly #share: number;
  /** Rest not yet taken for finished work. */
  #owedMs = 0;
  readonly #queue = new SerialQueue();

  /** `share` is between 0 and 1. */
  constructor(share: number) {
    this.#share = share;
  }

  take<T>(work: () => Promise<T>): Promise<T> {
    let startedAt = 0;
    const done = this.#queue.run(() => {
      startedAt = performance.now();
      return work();
    });
    void this.#queue.run(() => this.#rest(performance.now() - startedAt));
    return done;
  }

  async #rest(workMs: number): Promise<void> {
    this.#owedMs += workMs / this.#share - workMs;
    if (this.#owedMs < MIN_REST_MS) return;
    const ms = this.#owedMs;
    this.#owedMs = 0;
    await systemClock.sleep(ms);
  }
}
