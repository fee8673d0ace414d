import { setImmediate } from 'node:timers/promises';
import type { ClientClock } from '../../../sdk/src/index.ts';

/** A clock on which only waiting takes time. */
export class VirtualClock implements ClientClock {
  #now = 0;
  readonly #sleepers: { at: number; wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#sleepers.push({ at: this.#now + ms, wake: resolve });
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  /** Advances time to each waiting point in turn until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    work.then(end, end);
    for (;;) {
      await setImmediate();
      if (isDone) return work;
      this.#sleepers.sort((a, b) => a.at - b.at);
      const next = this.#sleepers.shift();
      if (!next) continue;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}
