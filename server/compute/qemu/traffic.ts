import type { Logger } from '../../platform/logging.ts';
import type { Guest } from './guest.ts';
import type { Guests } from './guests.ts';
import type { HostNetwork, NetworkCounters } from './network.ts';

export interface Surroundings {
  network: HostNetwork;
  logger: Pick<Logger, 'warn'>;
}

/** Makes the rules of all guests that run, or are being started, true again. What fails is only logged. */
export async function reassertRules(guests: Guests, { network, logger }: Surroundings): Promise<void> {
  const attached = guests.all().filter(({ record }) => record.run);
  const rules = attached.map(({ networkGuest, policy }) => ({ guest: networkGuest, policy }));
  await network.reassert(rules).catch((error) => logger.warn({ err: error }, 'network rules not reasserted'));
}

/**
 * Traffic of guests that run. One that the network knows nothing of has lost its rules, because somebody emptied the
 * host's tables: then the rules of all are made anew, so that no guest stays open, or cut off, beyond one reading.
 */
export async function readTraffic(
  guests: Guests,
  running: Guest[],
  surroundings: Surroundings,
): Promise<Map<string, NetworkCounters>> {
  const ids = running.map(({ id }) => id);
  const traffic = await surroundings.network.counters(ids);
  const lost = ids.filter((id) => !traffic.has(id));
  if (lost.length > 0) {
    surroundings.logger.warn({ vm_ids: lost.slice(0, 10), count: lost.length }, 'network rules were lost');
    await reassertRules(guests, surroundings);
  }
  return traffic;
}
