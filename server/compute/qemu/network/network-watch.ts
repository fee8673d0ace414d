import type { Guests } from '../guest/guests.ts';
import { type NetworkContext, reassertRules } from './traffic.ts';

/** Pause while the network cannot be watched; its helper may return at any moment. */
const RETRY_MS = 1_000;
/** Pause between two repairs, so that two programs that undo each other's changes do not use up the processor. */
const PAUSE_MS = 200;

/**
 * Rebuilds the rules and routes of all guests whenever another process has altered them, until `signal` aborts. Losses
 * while nothing can be watched are found by the next traffic reading, or when watching works again.
 */
export async function watchNetwork(
  guests: Guests,
  networkContext: NetworkContext,
  signal: AbortSignal,
): Promise<void> {
  const { network, clock, logger } = networkContext;
  while (!signal.aborted) {
    try {
      if (!(await network.altered(signal)) || signal.aborted) continue;
      logger.warn({}, 'rebuilt the network of this host, which was or may have been altered');
      await reassertRules(guests, networkContext);
      await clock.sleep(PAUSE_MS, signal);
    } catch {
      await clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }
}
