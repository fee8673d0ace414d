import type { GuestEvent } from './driver.ts';

/** Reported again to a listener that comes later; beyond that the oldest are forgotten. */
const MAX_KEPT = 1_000;

/** What there is to report of a guest; `distinct` tells it from others of its type, and the same again has the same. */
export type GuestNotice = Omit<GuestEvent, 'key' | 'id'> & { distinct: string | number };

/** The event of a notice. */
export function eventOf(id: string, { distinct, ...news }: GuestNotice): GuestEvent {
  return { key: `${id}/${news.type}/${distinct}`, id, ...news };
}

/** What guests did by themselves: reported to every listener, also to one that comes only after it happened. */
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
    // An object of its own: the same function may listen twice.
    const own = (event: GuestEvent) => listener(event);
    this.#listeners.add(own);
    for (const event of this.#kept.values()) listener(event);
    return () => this.#listeners.delete(own);
  }

  close(): void {
    this.#listeners.clear();
  }
}
