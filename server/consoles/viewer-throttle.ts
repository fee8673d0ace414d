import type { Clock } from '../platform/clock.ts';
import { Allowance } from './allowance.ts';
import { OPENING_MS, OPENINGS_IN_HAND_MS } from './limits.ts';

/** Admits the viewers of a link at a fixed rate, after a small burst. Kept on each node. */
export class ViewerThrottle {
  readonly #clock: Clock;
  readonly #links = new Map<string, Allowance>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when this viewer may open the link, or when `signal` aborts. */
  async wait(shareId: string, signal: AbortSignal): Promise<void> {
    let link = this.#links.get(shareId);
    if (!link) {
      link = new Allowance(this.#clock, OPENINGS_IN_HAND_MS);
      this.#links.set(shareId, link);
    }
    const ms = link.spend(OPENING_MS);
    if (ms > 0) await this.#clock.sleep(ms, signal).catch(() => {});
  }

  /** Forgets links that were not opened recently. */
  prune(): void {
    for (const [id, link] of this.#links) if (link.isWhole) this.#links.delete(id);
  }
}
