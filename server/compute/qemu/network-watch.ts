import type { Guests } from './guests.ts';
import { type NetworkContext, reassertRules } from './traffic.ts';

/** While the network cannot be watched: its helper may be back at any moment. */
const RETRY_MS = 1_000;
/** Between two repairs, so that two programs that undo each other leave the processor to others. */
const PAUSE_MS = 200;

/**
 * Has the rules and routes of all guests rebuilt whenever another process has altered them, until `signal` aborts. What
 * is lost while nothing can be watched is found by the next reading of traffic, or when it can be again.
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
      logger.warn({}, 'the network of this host was altered, or may have been: rebuilt');
      await reassertRules(guests, networkContext);
      await clock.sleep(PAUSE_MS, signal);
    } catch {
      await clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }
}
