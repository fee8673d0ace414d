/**
 * Pieces of work that may be in a queue, the running one included: more than a node has guests or targets. A queue that
 * reaches this is stuck.
 */
const MOST = 10_000;

/** Thrown instead of queueing a piece of work if the queue is full. */
export class QueueFullError extends Error {
  override name = 'QueueFullError';
}

/** Runs one piece of work at a time, in the order of the calls. A failure does not hold up those behind it. */
export class SerialQueue {
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();
  #size = 0;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** Number of pieces of work that have not ended. */
  get size(): number {
    return this.#size;
  }

  /** Returns the outcome of `work`. Rejects with {@link QueueFullError} if too many others have not ended. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#size >= this.#most)
      return Promise.reject(new QueueFullError(`${this.#most} pieces of work have not ended`));
    this.#size++;
    const done = this.#last.then(work);
    const end = () => {
      this.#size--;
    };
    this.#last = done.then(end, end);
    return done;
  }

  /** Resolves once nothing is running or waiting. */
  async idle(): Promise<void> {
    while (this.#size > 0) await this.#last;
  }
}
