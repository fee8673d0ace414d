import { type HostAllowance, uidsOf } from '../../../helpers/host/allowance.ts';
import { addressMatcher } from '../../../platform/cidr.ts';
import { PublicPortRanges } from '../../../platform/public-ports.ts';
import { InvalidArgumentError } from '../../../platform/strict-shapes.ts';
import type { NetworkPolicy } from '../../driver.ts';
import type { NetworkGuest } from '../network/network.ts';
import { TRAFFIC_LIMITS, type TrafficLimits } from './traffic-limits.ts';

/** Returns a guest's connection and packet limits, as configured or by default. */
export function trafficLimitsOf({
  guest_connections,
  guest_packets_per_second,
}: Partial<HostAllowance>): TrafficLimits {
  return {
    connections: guest_connections ?? TRAFFIC_LIMITS.connections,
    packetsPerSecond: guest_packets_per_second ?? TRAFFIC_LIMITS.packetsPerSecond,
  };
}

export type AllowanceCheck = (guest: NetworkGuest, policy: NetworkPolicy) => void;

/** Returns a check that throws {@link InvalidArgumentError} naming the first field that exceeds the allowance. */
export function allowanceCheck(allowance: HostAllowance): AllowanceCheck {
  const { guest_prefixes, forwards } = allowance;
  const { from: lowest, to: highest } = uidsOf(allowance);
  const inPrefixes = addressMatcher(guest_prefixes);
  const ranges = new PublicPortRanges(forwards);
  return (guest, policy) => {
    if (guest.uid !== undefined && (guest.uid < lowest || guest.uid > highest)) refuse('guest.uid');
    const strange = guest.addresses.findIndex(({ address }) => !inPrefixes(address));
    if (strange >= 0) refuse(`guest.addresses.${strange}.address`);
    ranges.check(policy.portForwards, 'policy.portForwards');
  };
}

function refuse(field: string): never {
  throw new InvalidArgumentError(`${field}: is not allowed by this host's configuration`);
}
