import type { GuestEvent } from './driver.ts';

/** Events kept to be reported to later listeners; beyond this, the oldest are dropped. */
const MAX_KEPT = 1_000;

/**
 * An event without its key. `distinct` tells it from other events of its type; a repeat of the same event has the same
 * value.
 */
export type GuestNotice = Omit<GuestEvent, 'key' | 'id'> & { distinct: string | number };

export function eventOf(id: string, { distinct, ...news }: GuestNotice): GuestEvent {
  return { key: `${id}/${news.type}/${distinct}`, id, ...news };
}

/** Events that guests caused themselves. Every listener receives them, even one added after they happened. */
export class GuestEvents {
  readonly #kept = new Map<string, GuestEvent>();
  readonly #listeners = new Set<(event: GuestEvent) => void>();

  emit(event: GuestEvent): void {
    if (this.#kept.has(event.key)) return;
    this.#kept.set(event.key, event);
    for (const key of this.#kept.keys()) if (this.#kept.size > MAX_KEPT) this.#kept.delete(key);
    for (const listener of this.#listeners) listener(event);
  }

  watch(listener: (event: GuestEvent) => void): () => void {
    // A wrapper, because the same function may be added twice.
    const own = (event: GuestEvent) => listener(event);
    this.#listeners.add(own);
    for (const event of this.#kept.values()) listener(event);
    return () => this.#listeners.delete(own);
  }

  close(): void {
    this.#listeners.clear();
  }
}
