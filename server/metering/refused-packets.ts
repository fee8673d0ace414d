import type { GuestSample, RefusedPackets } from '../compute/driver.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';

export interface RefusalParts {
  metrics: Pick<Metrics, 'packetsRefused'>;
  logger: Pick<Logger, 'warn'>;
}

/** What is known of a guest since its last reading. */
interface Known {
  counts: RefusedPackets;
  /** It was at a limit then, which the log has. */
  limited: boolean;
}

/** Shows the operator which guests meet their limits: a metric for all of them, and a line of the log as one begins to. */
export class RefusalWatch {
  readonly #parts: RefusalParts;
  #before = new Map<string, Known>();
  #now = new Map<string, Known>();

  constructor(parts: RefusalParts) {
    this.#parts = parts;
  }

  /** To be called with each reading of guests that have such limits. A first one is what the next is held against. */
  note(samples: readonly GuestSample[]): void {
    const { metrics, logger } = this.#parts;
    for (const { id, refused } of samples) {
      if (!refused) continue;
      const before = this.#before.get(id);
      // Fewer than before: the guest has another interface, whose counters restarted.
      const more = (limit: keyof RefusedPackets) =>
        Math.max(0, refused[limit] - (before ?? { counts: refused }).counts[limit]);
      const counts = { connections: more('connections'), packets: more('packets') };
      for (const limit of ['connections', 'packets'] as const) metrics.packetsRefused(limit, counts[limit]);
      const limited = counts.connections + counts.packets > 0;
      if (limited && !before?.limited)
        logger.warn({ vm_id: id, refused: counts }, 'packets of a guest are refused beyond its limits');
      this.#now.set(id, { counts: refused, limited });
    }
  }

  /** To be called when all guests have been read: those that were not are forgotten. */
  endRound(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }
}
