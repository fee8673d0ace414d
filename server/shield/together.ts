import ipaddr from 'ipaddr.js';
import { type Rate, timesOf, type Watch } from './baseline.ts';

/** This many neighbours with far more than usual at the same time are no coincidence. */
const LEAST_TARGETS = 5;
/** Prefix lengths of the networks over which an attacker spreads packets. */
const PREFIX = { 4: 24, 6: 48 };

interface Watched {
  id: string;
  ip: string;
  rate: Rate;
  watch: Watch;
}

/**
 * Returns the ids of targets that are attacked together: neighbours that each receive far more than usual and
 * together exceed the floor for a single target, while none of them exceeds its own threshold.
 */
export function attackedTogether(targets: Watched[]): Set<string> {
  const unusual = targets.filter(
    ({ rate, watch }) =>
      watch.baseline && timesOf(rate, watch.togetherThreshold) > 1 && timesOf(rate, watch.ownThreshold) <= 1,
  );
  if (unusual.length < LEAST_TARGETS) return new Set();
  const networks = Map.groupBy(unusual, ({ ip }) => networkOf(ip));
  const attacked = [...networks.values()].filter((neighbours) => {
    const sum = (part: keyof Rate) => neighbours.reduce((total, { rate }) => total + rate[part], 0);
    const most = (part: keyof Rate) => Math.max(...neighbours.map(({ watch }) => watch.floor[part]));
    return (
      neighbours.length >= LEAST_TARGETS &&
      timesOf({ pps: sum('pps'), bps: sum('bps') }, { pps: most('pps'), bps: most('bps') }) > 1
    );
  });
  return new Set(attacked.flat().map(({ id }) => id));
}

function networkOf(ip: string): string {
  return ip.includes(':')
    ? ipaddr.IPv6.networkAddressFromCIDR(`${ip}/${PREFIX[6]}`).toString()
    : ipaddr.IPv4.networkAddressFromCIDR(`${ip}/${PREFIX[4]}`).toString();
}
