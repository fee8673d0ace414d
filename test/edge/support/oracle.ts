import fc from 'fast-check';
import type { EdgeMatch, EdgeRule, ProtocolName, TcpFlag } from '../../../server/edge/driver.ts';
import type { Packet } from '../../../server/edge/simulator/packet.ts';

/** A plain second implementation of rule matching that shares no code with the edge. */
const NUMBERS: Record<string, number> = { tcp: 6, udp: 17, icmp: 1, icmpv6: 58, gre: 47, esp: 50, ah: 51 };

/** Returns an address as a string of bits. */
function bits(address: string): string {
  if (!address.includes(':')) {
    return address
      .split('.')
      .map((byte) => Number(byte).toString(2).padStart(8, '0'))
      .join('');
  }
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)]
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('');
}

function portListed(port: number | null, list: string[]): boolean {
  if (list.length === 0) return true;
  if (port === null) return false;
  for (const text of list) {
    const dash = text.indexOf('-');
    if (dash < 0 && Number(text) === port) return true;
    if (dash >= 0 && Number(text.slice(0, dash)) <= port && port <= Number(text.slice(dash + 1))) return true;
  }
  return false;
}

function takes(match: EdgeMatch, packet: Packet): boolean {
  if (typeof match.protocol === 'number' && match.protocol !== packet.protocol) return false;
  if (typeof match.protocol === 'string' && match.protocol !== 'any') {
    if (NUMBERS[match.protocol] !== packet.protocol) return false;
  }
  if (match.source !== null) {
    const [network, prefix] = match.source.split('/') as [string, string];
    if (network.includes(':') !== packet.source.includes(':')) return false;
    if (bits(network).slice(0, Number(prefix)) !== bits(packet.source).slice(0, Number(prefix))) return false;
  }
  if (!portListed(packet.sourcePort, match.sourcePorts)) return false;
  if (!portListed(packet.destinationPort, match.destinationPorts)) return false;
  if (match.packetLength) {
    if (packet.length < match.packetLength.min || packet.length > match.packetLength.max) return false;
  }
  if (match.tcpFlags) {
    if (packet.protocol !== 6 || packet.fragment === 'later') return false;
    for (const flag of match.tcpFlags.set) if (!packet.flags.includes(flag)) return false;
    for (const flag of match.tcpFlags.unset) if (packet.flags.includes(flag)) return false;
  }
  if (match.fragments === 'only' && packet.fragment === 'none') return false;
  if (match.fragments === 'none' && packet.fragment !== 'none') return false;
  return true;
}

/** Returns the index of the first rule that matches the packet, or −1. */
export function reference(rules: EdgeRule[], packet: Packet): number {
  for (let place = 0; place < rules.length; place++) if (takes(rules[place]!.match, packet)) return place;
  return -1;
}

// Few values, so that rules often match packets.
const port = fc.constantFrom(1, 22, 53, 123, 443, 1_024, 5_000, 65_535);
const ports: fc.Arbitrary<string[]> = fc.array(
  fc.oneof(
    port.map(String),
    fc.tuple(port, port).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  ),
  { maxLength: 3 },
);
const noPorts = fc.constant<string[]>([]);
const flag = fc.constantFrom<TcpFlag>('fin', 'syn', 'rst', 'psh', 'ack', 'urg');
const length = fc.constantFrom(0, 40, 60, 468, 540, 541, 1_400, 1_500, 65_535);
const FOUR = ['198.51.100.7', '198.51.100.200', '198.51.0.1', '10.0.0.1', '203.0.113.9'];
const SIX = ['2001:db8::1', '2001:db8:a::1', '2001:db9::1', 'fe80::1'];
const NETWORKS = [
  '198.51.100.0/24',
  '198.51.100.128/25',
  '198.51.100.7/32',
  '198.0.0.0/8',
  '0.0.0.0/0',
  '2001:db8::/32',
  '2001:db8:a::/48',
  '2001:db8::1/128',
];

const match: fc.Arbitrary<EdgeMatch> = fc.record({
  protocol: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<'any' | ProtocolName>('any', 'tcp', 'udp') },
    fc.constantFrom<ProtocolName>('icmp', 'icmpv6', 'gre', 'esp', 'ah'),
    fc.constantFrom(1, 6, 17, 132),
  ),
  source: fc.option(fc.constantFrom(...NETWORKS), { freq: 2 }),
  sourcePorts: fc.oneof({ weight: 2, arbitrary: noPorts }, ports),
  destinationPorts: fc.oneof({ weight: 2, arbitrary: noPorts }, ports),
  packetLength: fc.option(
    fc.tuple(length, length).map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) })),
  ),
  tcpFlags: fc.option(
    fc.record({
      set: fc.uniqueArray(flag, { maxLength: 2 }),
      unset: fc.uniqueArray(flag, { maxLength: 2 }),
    }),
    { freq: 1 },
  ),
  fragments: fc.constantFrom('any', 'any', 'only', 'none'),
});

export const anyRule: fc.Arbitrary<EdgeRule> = match.map((match) => ({
  id: 'rul',
  action: 'block',
  match,
  rate: null,
}));

/** Consecutive rules that differ only in their ports. */
export const anyAlikeRules: fc.Arbitrary<EdgeRule[]> = fc
  .record({
    rule: anyRule,
    protocol: fc.constantFrom<'any' | ProtocolName>('any', 'tcp', 'udp'),
    field: fc.constantFrom<'sourcePorts' | 'destinationPorts'>('sourcePorts', 'destinationPorts'),
    lists: fc.array(ports, { minLength: 2, maxLength: 4 }),
  })
  .map(({ rule, protocol, field, lists }) =>
    lists.map((list) => ({
      ...rule,
      match: { ...rule.match, protocol, sourcePorts: [], destinationPorts: [], [field]: list },
    })),
  );

export const anyPacket: fc.Arbitrary<Packet> = fc
  .record({
    protocol: fc.constantFrom(1, 6, 6, 17, 17, 47, 50, 51, 58, 132),
    source: fc.constantFrom(...FOUR, ...SIX),
    sourcePort: port,
    destinationPort: port,
    length,
    flags: fc.uniqueArray(flag, { maxLength: 4 }),
    fragment: fc.constantFrom<Packet['fragment']>('none', 'none', 'first', 'later'),
  })
  // A packet has ports and flags only if its header has them.
  .map((all) => {
    const hasHeader = all.fragment !== 'later';
    const hasPorts = hasHeader && (all.protocol === 6 || all.protocol === 17);
    return {
      ...all,
      sourcePort: hasPorts ? all.sourcePort : null,
      destinationPort: hasPorts ? all.destinationPort : null,
      flags: hasHeader && all.protocol === 6 ? all.flags : [],
    };
  });
