import type { Logger } from '../../platform/logging.ts';
import type { Guests } from './guests.ts';
import type { HostNetwork } from './network.ts';
import type { Power } from './power.ts';

interface Surroundings {
  network: HostNetwork;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Finds the guests that are there and takes hold of those that run: they outlive the service. One that cannot be held
 * is left alone, and its next start tries again.
 */
export async function adoptGuests(
  guests: Guests,
  power: Power,
  { network, logger }: Surroundings,
): Promise<void> {
  await guests.open();
  const adoptions = guests
    .all()
    .map((guest) =>
      power.adopt(guest).catch((error) => logger.warn({ err: error, vm_id: guest.id }, 'guest not adopted')),
    );
  await Promise.all(adoptions);
  const running = guests.all().filter(({ run }) => run);
  const rules = running.map(({ networkGuest, policy }) => ({ guest: networkGuest, policy }));
  await network.reassert(rules).catch((error) => logger.warn({ err: error }, 'network rules not reasserted'));
}
