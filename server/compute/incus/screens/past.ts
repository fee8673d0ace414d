import { type Instance, runOf } from '../instance.ts';

/** Of one guest: as much as fills a screen many times. */
const MAX_BYTES = 32_768;
/** Guests of which it is kept, those looked at last: 16 MB. */
const MAX_GUESTS = 512;

interface Kept {
  run: string;
  bytes: Buffer;
}

/**
 * What guests have written to their consoles since they were switched on, the last of it. Incus gives each byte of a console's
 * log once, so that who comes back would see an empty screen without it.
 */
export class Past {
  readonly #kept = new Map<string, Kept>();

  /** Adds what was read of this run of a guest. */
  add(instance: Instance, bytes: Buffer): void {
    const { name } = instance;
    const before = this.of(instance);
    // Put at the end: the order of a map is the order of its entries' arrival.
    this.#kept.delete(name);
    this.#kept.set(name, {
      run: runOf(instance),
      bytes: Buffer.concat([before, bytes]).subarray(-MAX_BYTES),
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_GUESTS) this.#kept.delete(oldest!);
  }

  /** What is known of this run. */
  of(instance: Instance): Buffer {
    const kept = this.#kept.get(instance.name);
    return kept?.run === runOf(instance) ? kept.bytes : Buffer.alloc(0);
  }
}
