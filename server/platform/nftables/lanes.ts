import { SerialQueue } from '../serial-queue.ts';

/**
 * nft restarts a listing if something was written in the meantime, so endless writes would keep it from finishing.
 */
const MOST_PASSED = 10;

/**
 * Runs writes one after another and, in parallel, readings one after another. A write does not wait for a reading
 * unless {@link MOST_PASSED} writes have already overtaken that reading. A reading must not wait for a write inside
 * its own work.
 */
export class Lanes {
  readonly #writes = new SerialQueue();
  readonly #readings = new SerialQueue();
  #reading: { done: Promise<unknown>; passed: number } | undefined;

  write<T>(work: () => Promise<T>): Promise<T> {
    return this.#writes.run(async () => {
      const reading = this.#reading;
      if (reading && ++reading.passed > MOST_PASSED) await reading.done;
      return work();
    });
  }

  read<T>(work: () => Promise<T>): Promise<T> {
    return this.#readings.run(() => {
      const found = work();
      const reading = { done: found.catch(() => {}), passed: 0 };
      this.#reading = reading;
      reading.done.then(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
      return found;
    });
  }

  /** Resolves when everything requested so far has finished. */
  async idle(): Promise<void> {
    await this.#readings.idle();
    await this.#writes.idle();
  }
}
