import { guardPool } from '../disk/pool-guard.ts';
import { watchNetwork } from '../network/network-watch.ts';
import { type NetworkContext, reassertRules } from '../network/traffic.ts';
import type { Guest } from './guest.ts';
import type { Guests } from './guests.ts';
import type { Power } from './power.ts';

/** QEMU answers within milliseconds. One that hangs delays only requests for itself. */
const ADOPTION_MS = 2_000;

/**
 * Finds the existing guests and reconnects to the running ones, which outlive the service. One that cannot be
 * reconnected is left as it is; its next start tries again.
 */
export async function adoptGuests(
  guests: Guests,
  power: Power,
  networkContext: NetworkContext,
): Promise<void> {
  await guests.open(networkContext.logger);
  const adoptions = guests.all().map((guest) => {
    guest.adopting = adopt(guest, power, networkContext);
    return guest.adopting;
  });
  await Promise.race([Promise.all(adoptions), networkContext.clock.sleep(ADOPTION_MS)]);
  await reassertRules(guests, networkContext);
  watchNetwork(guests, networkContext, power.closed);
  guardPool({ ...networkContext, guests: () => guests.all() }, power.closed);
}

/** Adopts a guest that was set aside if its record has been repaired. Throws while the record cannot be read. */
export async function adoptMended(
  id: string,
  guests: Guests,
  power: Power,
  networkContext: NetworkContext,
): Promise<void> {
  const guest = await guests.readAgain(id);
  if (!guest) return;
  await adopt(guest, power, networkContext);
  await reassertRules(guests, networkContext);
  networkContext.logger.warn({ vm_id: id }, 'a guest that had been set aside is back');
}

function adopt(guest: Guest, power: Power, { logger }: NetworkContext): Promise<void> {
  return power
    .adopt(guest)
    .catch((error) => logger.warn({ err: error, vm_id: guest.id }, 'guest not adopted'));
}
