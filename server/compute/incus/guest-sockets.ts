import type { Duplex } from 'node:stream';

/**
 * Open connections into guests. They must be closed here when a guest is gone, because nothing else would tell the
 * other end.
 */
export class GuestSockets {
  readonly #open = new Map<string, Set<Duplex>>();

  add<T extends Duplex>(id: string, stream: T): T {
    const of = this.#open.get(id) ?? new Set();
    this.#open.set(id, of);
    of.add(stream);
    stream.once('close', () => {
      of.delete(stream);
      if (of.size === 0 && this.#open.get(id) === of) this.#open.delete(id);
    });
    return stream;
  }

  /** Called once a guest is off. */
  end(id: string): void {
    for (const stream of this.#open.get(id) ?? []) stream.destroy();
  }

  close(): void {
    for (const id of [...this.#open.keys()]) this.end(id);
  }
}
