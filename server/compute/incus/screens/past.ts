import { type Instance, runOf } from '../instance.ts';

/** Per guest: enough to fill a screen many times over. */
const MAX_BYTES = 32_768;
/** Guests kept, the most recently viewed ones: 16 MB in all. */
const MAX_GUESTS = 512;

interface Kept {
  run: string;
  bytes: Buffer;
}

/**
 * The last output of guests since they were switched on. Incus returns each byte of a console log only once, so without
 * this a returning viewer would see an empty screen.
 */
export class Past {
  readonly #kept = new Map<string, Kept>();

  add(instance: Instance, bytes: Buffer): void {
    const { name } = instance;
    const before = this.of(instance);
    // Delete first, so that the guest moves to the end of the map's insertion order.
    this.#kept.delete(name);
    this.#kept.set(name, {
      run: runOf(instance),
      bytes: Buffer.concat([before, bytes]).subarray(-MAX_BYTES),
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_GUESTS) this.#kept.delete(oldest!);
  }

  /** Returns the kept output of this run; empty if there is none. */
  of(instance: Instance): Buffer {
    const kept = this.#kept.get(instance.name);
    return kept?.run === runOf(instance) ? kept.bytes : Buffer.alloc(0);
  }
}
