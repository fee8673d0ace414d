import { Turns } from '../../platform/turns.ts';

/** nft begins a reading anew where something was written meanwhile: writes without end would keep it from its end. */
const MOST_PASSED = 10;

/**
 * Writes one after the other, and beside them readings one after the other. A write waits for no reading, but for one
 * that {@link MOST_PASSED} others have passed already. A reading must not wait for a write from within.
 */
export class Lanes {
  readonly #writes = new Turns();
  readonly #readings = new Turns();
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

  /** Resolves when all that was asked for so far has ended. */
  async idle(): Promise<void> {
    await this.#readings.idle();
    await this.#writes.idle();
  }
}
