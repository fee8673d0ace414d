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
 * Next step for accepted packets. An incoming one has arrived. An outgoing one may be for another guest on this host,
 * whose own rules come next.
 */
const VERDICT = { in: { accept: 'goto passed', drop: 'drop' }, out: { accept: 'goto inward', drop: 'drop' } };

/** Returns the rules of one direction of a guest's firewall as nft statements, in evaluation order. */
export function firewallRules(direction: 'in' | 'out', policy: NetworkPolicy): string[] {
  const verdicts = VERDICT[direction];
  const rules = policy.firewall
    .filter((entry) => entry.direction === direction)
    .flatMap((entry) =>
      matches(entry).map((match) => [...match, protocolMatch(entry), verdicts[entry.action]]),
    );
  // Before the guest's own rules: a guest that sends spam ruins the reputation of all addresses of its host.
  if (direction === 'out' && !policy.smtpOpen) rules.unshift(['tcp dport 25 counter', 'drop']);
  const last = direction === 'in' ? policy.defaultIn : policy.defaultOut;
  return [...rules, [verdicts[last]]].map((words) => words.filter(Boolean).join(' '));
}

function protocolMatch({ protocol, ports }: FirewallEntry): string {
  return ports === null ? L4PROTO[protocol] : `${protocol} dport ${ports}`;
}

/**
 * Returns the address matches of an entry. There is one per family, because an nft set cannot mix them, and none if the
 * entry means everyone.
 */
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

/**
 * Returns the networks that are not inside any of the others, because nft refuses a set with overlapping ones. All must
 * be of one family.
 */
function outermost(family: 4 | 6, cidrs: string[]): string[] {
  // The generic parser would try each as IPv6 first and throw, which took most of the time for a thousand guests'
  // rules.
  const parser = family === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const parsed = [...new Set(cidrs)].map((cidr): [ipaddr.IPv4 | ipaddr.IPv6, number] =>
    parser.parseCIDR(cidr),
  );
  // Widest first, so that a network comes after any that contains it. Equal sets always come out in the same order.
  parsed.sort(([a, x], [b, y]) => x - y || a.toNormalizedString().localeCompare(b.toNormalizedString()));
  const taken: typeof parsed = [];
  for (const network of parsed) {
    if (!taken.some(([range, bits]) => network[0].match(range, bits))) taken.push(network);
  }
  return taken.map(([address, bits]) => `${address}/${bits}`);
}
