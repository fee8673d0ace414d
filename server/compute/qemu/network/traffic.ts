import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logging.ts';
import { InvalidArgumentError } from '../../../platform/strict-shapes.ts';
import type { NetworkPolicy } from '../../driver.ts';
import type { Pool } from '../disk/pool.ts';
import type { Guest } from '../guest/guest.ts';
import type { Guests } from '../guest/guests.ts';
import type { HostNetwork, NetworkReading } from './network.ts';

export interface NetworkContext {
  clock: Clock;
  network: HostNetwork;
  pool: Pool;
  logger: Pick<Logger, 'warn'>;
  /** Called for a running guest whose interface is gone. */
  cutOff(guest: Guest): void;
}

/** Sets a guest's rules to exactly `policy`: now if it runs, otherwise at its next start. */
export async function applyRules(guest: Guest, policy: NetworkPolicy, network: HostNetwork): Promise<void> {
  const before = guest.record.policy;
  await guest.save({ policy });
  if (!guest.run) return;
  await network.apply(guest.networkGuest, policy).catch(async (error) => {
    // A policy that can never be applied must not be reasserted after a restart.
    if (error instanceof InvalidArgumentError) await guest.save({ policy: before });
    throw error;
  });
}

/** Restores the rules of all guests that run or are being started. Failures are only logged. */
export async function reassertRules(guests: Guests, networkContext: NetworkContext): Promise<void> {
  const { network, logger, cutOff } = networkContext;
  const attached = guests.all().filter(({ record }) => record.run);
  const rules = attached.map(({ networkGuest, policy }) => ({ guest: networkGuest, policy }));
  try {
    for (const id of await network.reassert(rules)) {
      const guest = guests.find(id);
      // A guest that is just starting has no interface yet.
      if (guest?.run) cutOff(guest);
    }
  } catch (error) {
    logger.warn({ err: error }, 'network rules not reasserted');
  }
}

/**
 * Returns the traffic of running guests. If a guest is unknown to the network or has no route, the host's rules or
 * routes have been altered. They are then rebuilt for all guests, so that none stays open or cut off for longer than
 * one reading.
 */
export async function readTraffic(
  guests: Guests,
  running: Guest[],
  networkContext: NetworkContext,
): Promise<Map<string, NetworkReading>> {
  const ids = running.map(({ id }) => id);
  const traffic = await networkContext.network.counters(ids);
  // Leaves out guests that only a restart can repair; those have been reported.
  const lost = running
    .filter(({ id, run }) => !run?.cutOff && !traffic.get(id)?.connected)
    .map(({ id }) => id);
  if (lost.length > 0) {
    networkContext.logger.warn({ vm_ids: lost.slice(0, 10), count: lost.length }, 'network rules were lost');
    await reassertRules(guests, networkContext);
  }
  return traffic;
}
