import type { Clock } from '../../platform/clock.ts';
import { InvalidArgumentError } from '../../platform/helper/shapes.ts';
import type { Logger } from '../../platform/logging.ts';
import type { NetworkPolicy } from '../driver.ts';
import type { Guest } from './guest.ts';
import type { Guests } from './guests.ts';
import type { HostNetwork, NetworkReading } from './network.ts';
import type { Pool } from './pool.ts';

export interface NetworkContext {
  clock: Clock;
  network: HostNetwork;
  pool: Pool;
  logger: Pick<Logger, 'warn'>;
  /** Called for a guest that runs and whose interface is gone. */
  cutOff(guest: Guest): void;
}

/** Makes a guest's rules exactly `policy`, now where it runs and at its next start where it does not. */
export async function applyRules(guest: Guest, policy: NetworkPolicy, network: HostNetwork): Promise<void> {
  const before = guest.record.policy;
  await guest.save({ policy });
  if (!guest.run) return;
  await network.apply(guest.networkGuest, policy).catch(async (error) => {
    // What can never be in force must not be asserted again after a restart.
    if (error instanceof InvalidArgumentError) await guest.save({ policy: before });
    throw error;
  });
}

/** Makes the rules of all guests that run, or are being started, true again. What fails is only logged. */
export async function reassertRules(guests: Guests, networkContext: NetworkContext): Promise<void> {
  const { network, logger, cutOff } = networkContext;
  const attached = guests.all().filter(({ record }) => record.run);
  const rules = attached.map(({ networkGuest, policy }) => ({ guest: networkGuest, policy }));
  try {
    for (const id of await network.reassert(rules)) {
      const guest = guests.find(id);
      // One that is just being started has none yet.
      if (guest?.run) cutOff(guest);
    }
  } catch (error) {
    logger.warn({ err: error }, 'network rules not reasserted');
  }
}

/**
 * Traffic of guests that run. One that the network knows nothing of, or has no way to, has lost its rules or routes,
 * because the host's were altered: then those of all are rebuilt, so that no guest stays open, or cut off, beyond
 * one reading.
 */
export async function readTraffic(
  guests: Guests,
  running: Guest[],
  networkContext: NetworkContext,
): Promise<Map<string, NetworkReading>> {
  const ids = running.map(({ id }) => id);
  const traffic = await networkContext.network.counters(ids);
  // What only a new start repairs has been reported.
  const lost = running
    .filter(({ id, run }) => !run?.cutOff && !traffic.get(id)?.connected)
    .map(({ id }) => id);
  if (lost.length > 0) {
    networkContext.logger.warn({ vm_ids: lost.slice(0, 10), count: lost.length }, 'network rules were lost');
    await reassertRules(guests, networkContext);
  }
  return traffic;
}
