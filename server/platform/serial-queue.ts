/** Runs one piece of work at a time, in the order of the calls. A failure does not hold up those behind it. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Resolves once all work requested so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
