import { SerialQueue } from './serial-queue.ts';

/** Runs work one piece at a time for each key, in the order of the calls. Work of other keys runs in parallel. */
export class KeyedQueue {
  /** Only those with work that has not ended. */
  readonly #queues = new Map<string, SerialQueue>();
  readonly #most: number | undefined;

  /** `most` bounds the work of each key, as in {@link SerialQueue}. */
  constructor(most?: number) {
    this.#most = most;
  }

  /** Number of keys with work that has not ended. */
  get keys(): number {
    return this.#queues.size;
  }

  run<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const queue = this.#queues.get(key) ?? new SerialQueue(this.#most);
    this.#queues.set(key, queue);
    const done = queue.run(work);
    const forget = () => {
      if (queue.size === 0) this.#queues.delete(key);
    };
    done.then(forget, forget);
    return done;
  }

  /** Resolves once nothing is running or waiting. */
  async idle(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all([...this.#queues.values()].map((queue) => queue.idle()));
  }
}
