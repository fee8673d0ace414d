/** Runs work one at a time per name, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(name, mine);
    const forget = () => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    };
    mine.then(forget, forget);
    return mine;
  }

  /** Resolves once no work is running. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
