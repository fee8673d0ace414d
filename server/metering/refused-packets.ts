import type { GuestSample, RefusedPackets } from '../compute/driver.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';

export interface RefusalParts {
  metrics: Pick<Metrics, 'packetsRefused'>;
  logger: Pick<Logger, 'warn'>;
}

/** The state of a guest at its last reading. */
interface Known {
  counts: RefusedPackets;
  /** The guest was at a limit then, which has been logged. */
  limited: boolean;
}

/**
 * Shows the operator which guests reach their limits: one metric for all of them, and a log line when a guest starts
 * reaching one.
 */
export class RefusalWatch {
  readonly #parts: RefusalParts;
  #before = new Map<string, Known>();
  #now = new Map<string, Known>();

  constructor(parts: RefusalParts) {
    this.#parts = parts;
  }

  /**
   * Must be called with each reading of guests that have such limits. The first reading of a guest is only the base for
   * the next.
   */
  note(samples: readonly GuestSample[]): void {
    const { metrics, logger } = this.#parts;
    for (const { id, refused } of samples) {
      if (!refused) continue;
      const before = this.#before.get(id);
      // Fewer than before means that the guest has a new interface, whose counters started again.
      const more = (limit: keyof RefusedPackets) =>
        Math.max(0, refused[limit] - (before ?? { counts: refused }).counts[limit]);
      const counts = { connections: more('connections'), packets: more('packets') };
      for (const limit of ['connections', 'packets'] as const) metrics.packetsRefused(limit, counts[limit]);
      const limited = counts.connections + counts.packets > 0;
      if (limited && !before?.limited)
        logger.warn({ vm_id: id, refused: counts }, 'packets of a guest are dropped because of its limits');
      this.#now.set(id, { counts: refused, limited });
    }
  }

  /** Must be called when all guests have been read: any others are forgotten. */
  endRound(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }
}
