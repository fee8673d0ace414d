import ipaddr from 'ipaddr.js';
import type { FirewallEntry, NetworkPolicy } from '../../driver.ts';

const ANYWHERE = { 4: '0.0.0.0/0', 6: '::/0' };
const NFPROTO = { 4: 'meta nfproto ipv4', 6: 'meta nfproto ipv6' };
/** Protocols that exist in one family only. */
const FAMILY_OF: Partial<Record<FirewallEntry['protocol'], 4 | 6>> = { icmp: 4, icmpv6: 6 };
const L4PROTO: Record<FirewallEntry['protocol'], string> = {
  tcp: 'meta l4proto tcp',
  udp: 'meta l4proto udp',
  icmp: 'meta l4proto icmp',
  icmpv6: 'meta l4proto ipv6-icmp',
  esp: 'meta l4proto esp',
  gre: 'meta l4proto gre',
  any: '',
};
/**
 * What an accepted packet does: one that goes in has arrived. One that comes out may still be for another guest of
 * this host, whose own rules come next.
 */
const VERDICT = { in: { accept: 'goto passed', drop: 'drop' }, out: { accept: 'goto inward', drop: 'drop' } };

/** The rules of one direction of a guest's firewall, in evaluation order, as statements of nft. */
export function firewallRules(direction: 'in' | 'out', policy: NetworkPolicy): string[] {
  const verdicts = VERDICT[direction];
  const rules = policy.firewall
    .filter((entry) => entry.direction === direction)
    .flatMap((entry) =>
      matches(entry).map((match) => [...match, protocolMatch(entry), verdicts[entry.action]]),
    );
  // Before its own rules: a guest that sends mail to strangers spoils the name of all addresses of its host.
  if (direction === 'out' && !policy.smtpOpen) rules.unshift(['tcp dport 25 counter', 'drop']);
  const last = direction === 'in' ? policy.defaultIn : policy.defaultOut;
  return [...rules, [verdicts[last]]].map((words) => words.filter(Boolean).join(' '));
}

function protocolMatch({ protocol, ports }: FirewallEntry): string {
  return ports === null ? L4PROTO[protocol] : `${protocol} dport ${ports}`;
}

/** The address matches of an entry: one a family, as nft has no set of both; none at all where it means everyone. */
function matches({ direction, protocol, cidrs }: FirewallEntry): string[][] {
  const side = direction === 'in' ? 'saddr' : 'daddr';
  const families = ([4, 6] as const).flatMap((family) => {
    if ((FAMILY_OF[protocol] ?? family) !== family) return [];
    const networks = outermost(
      family,
      cidrs.filter((cidr) => (cidr.includes(':') ? 6 : 4) === family),
    );
    return networks.length > 0 ? [{ family, networks }] : [];
  });
  const everyone = families.length === 2 && families.every(({ family, networks }) => isAll(family, networks));
  if (everyone) return [[]];
  return families.map(({ family, networks }) =>
    isAll(family, networks)
      ? [NFPROTO[family]]
      : [`${family === 4 ? 'ip' : 'ip6'} ${side} { ${networks.join(', ')} }`],
  );
}

function isAll(family: 4 | 6, networks: string[]): boolean {
  return networks[0] === ANYWHERE[family];
}

/** Networks that lie in none of the others: nft refuses a set in which two overlap. All are of one family. */
function outermost(family: 4 | 6, cidrs: string[]): string[] {
  // The library would try each as IPv6 first, and throw: most of the time that a thousand guests' rules take.
  const parser = family === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const parsed = [...new Set(cidrs)].map((cidr): [ipaddr.IPv4 | ipaddr.IPv6, number] =>
    parser.parseCIDR(cidr),
  );
  // The widest first, so that whatever holds a network has been taken before it; the order is the same for one meaning.
  parsed.sort(([a, x], [b, y]) => x - y || a.toNormalizedString().localeCompare(b.toNormalizedString()));
  const taken: typeof parsed = [];
  for (const network of parsed) {
    if (!taken.some(([range, bits]) => network[0].match(range, bits))) taken.push(network);
  }
  return taken.map(([address, bits]) => `${address}/${bits}`);
}
