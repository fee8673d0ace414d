import type { Guests } from './guests.ts';
import type { Power } from './power.ts';
import { reassertRules, type Surroundings } from './traffic.ts';

/**
 * Finds the guests that are there and takes hold of those that run: they outlive the service. One that cannot be held
 * is left alone, and its next start tries again.
 */
export async function adoptGuests(guests: Guests, power: Power, surroundings: Surroundings): Promise<void> {
  await guests.open((directory, error) =>
    surroundings.logger.warn({ err: error, directory }, 'leftover of a guest not removed'),
  );
  const adoptions = guests
    .all()
    .map((guest) =>
      power
        .adopt(guest)
        .catch((error) => surroundings.logger.warn({ err: error, vm_id: guest.id }, 'guest not adopted')),
    );
  await Promise.all(adoptions);
  await reassertRules(guests, surroundings);
}
