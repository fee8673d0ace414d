/** Runs one thing at a time, in the order asked. One that fails holds up none of those behind it. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Resolves when all that was asked for so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
