import type { Clock } from '../platform/clock.ts';
import { Allowance } from './allowance.ts';
import { OPENING_MS, OPENINGS_IN_HAND_MS } from './limits.ts';

/** Has the viewers of a link come one after the other, but for a few that come at once. Kept on each node. */
export class Turns {
  readonly #clock: Clock;
  readonly #links = new Map<string, Allowance>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves at the turn of one that has come now, or when `signal` aborts. */
  async wait(shareId: string, signal: AbortSignal): Promise<void> {
    let link = this.#links.get(shareId);
    if (!link) {
      link = new Allowance(this.#clock, OPENINGS_IN_HAND_MS);
      this.#links.set(shareId, link);
    }
    const ms = link.spend(OPENING_MS);
    if (ms > 0) await this.#clock.sleep(ms, signal).catch(() => {});
  }

  /** Forgets the links that were not opened of late. */
  check(): void {
    for (const [id, link] of this.#links) if (link.isWhole) this.#links.delete(id);
  }
}
