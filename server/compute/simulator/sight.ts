import { ComputeUnavailableError, type GuestSight, type GuestState } from '../driver.ts';
import { type Guest, hostOf } from './guest.ts';
import { powerAt } from './guest-os/model/guest.ts';
import { isOutOfSight, isUp } from './power.ts';
import { has } from './sentinels.ts';

type Glance = Pick<Guest, 'host' | 'hostname' | 'run'>;

/** Throws {@link ComputeUnavailableError} if the guest cannot be seen at `now`. */
export function requireSight(id: string, guest: Glance, now: number): void {
  if (isOutOfSight(guest, now)) throw new ComputeUnavailableError(`${id} cannot be seen`);
}

export function sightOf(
  { id, ...guest }: Glance & { id: string },
  isReachable: boolean,
  now: number,
): GuestSight {
  const isSeen = isReachable && !isOutOfSight(guest, now);
  return { id, hostId: hostOf(guest), power: isSeen ? powerAt(guest, now) : 'unknown' };
}

/** Returns the guest's state at `now`. Throws as {@link requireSight} does. */
export function stateOf(id: string, guest: Guest, now: number): GuestState {
  requireSight(id, guest, now);
  const { vcpu, ramMb, diskGb } = guest;
  const power = powerAt(guest, now);
  const agent = isUp(guest, now) && !has(guest.hostname, 'hasNoAgent');
  const addresses = guest.addresses.map(({ address }) => address);
  return { id, power, agent, addresses, vcpu, ramMb, diskGb, snapshotIds: Object.keys(guest.snapshots) };
}
