import { addressMatcher } from '../../platform/cidr.ts';
import type { EdgeClass, EdgeMatch, EdgeRule, TcpFlag } from '../driver.ts';
import { PROTOCOL_NUMBERS } from '../protocol-numbers.ts';

/** An IP packet, reduced to the properties that rules can match. */
export interface Packet {
  /** IP protocol number, the one after any IPv6 extension headers. */
  protocol: number;
  source: string;
  /** Null if the packet carries no ports: another protocol, or a later fragment. */
  sourcePort: number | null;
  destinationPort: number | null;
  /** Length of the whole IP packet in bytes. */
  length: number;
  /** Empty if the packet has no TCP header. */
  flags: readonly TcpFlag[];
  fragment: 'none' | 'first' | 'later';
}

type Test = (packet: Packet) => boolean;

/** A rule prepared for matching many packets. */
export interface CompiledRule {
  rule: EdgeRule;
  matches: Test;
}

function portTest(ports: string[], portOf: (packet: Packet) => number | null): Test {
  const ranges = ports.map((text) => {
    const [from, to = from] = text.split('-').map(Number) as [number, number?];
    return [from, to] as const;
  });
  return (packet) => {
    const port = portOf(packet);
    return port !== null && ranges.some(([from, to]) => port >= from && port <= to);
  };
}

function tests(match: EdgeMatch): Test[] {
  const { protocol, source, sourcePorts, destinationPorts, packetLength, tcpFlags, fragments } = match;
  const all: Test[] = [];
  if (protocol !== 'any') {
    const number = typeof protocol === 'number' ? protocol : PROTOCOL_NUMBERS[protocol];
    all.push((packet) => packet.protocol === number);
  }
  if (fragments !== 'any') all.push((packet) => (packet.fragment !== 'none') === (fragments === 'only'));
  if (packetLength) {
    const { min, max } = packetLength;
    all.push(({ length }) => length >= min && length <= max);
  }
  if (sourcePorts.length > 0) all.push(portTest(sourcePorts, (packet) => packet.sourcePort));
  if (destinationPorts.length > 0) all.push(portTest(destinationPorts, (packet) => packet.destinationPort));
  if (tcpFlags) {
    const { set, unset } = tcpFlags;
    all.push(
      ({ protocol: number, fragment, flags }) =>
        number === PROTOCOL_NUMBERS.tcp &&
        fragment !== 'later' &&
        set.every((flag) => flags.includes(flag)) &&
        !unset.some((flag) => flags.includes(flag)),
    );
  }
  if (source !== null) {
    const inside = addressMatcher([source]);
    all.push((packet) => inside(packet.source));
  }
  return all;
}

export function compileRules(rules: EdgeRule[]): CompiledRule[] {
  return rules.map((rule) => {
    const all = tests(rule.match);
    return { rule, matches: (packet) => all.every((test) => test(packet)) };
  });
}

/** Returns the index of the first rule that matches, −1 if none does. */
export function firstMatch(rules: CompiledRule[], packet: Packet): number {
  return rules.findIndex(({ matches }) => matches(packet));
}

/** Returns the class in which an edge counts the packet. */
export function classOf({ protocol, fragment, flags }: Packet): EdgeClass {
  if (fragment !== 'none') return 'fragment';
  switch (protocol) {
    case PROTOCOL_NUMBERS.tcp:
      return flags.includes('syn') && !flags.includes('ack') ? 'syn' : 'tcp';
    case PROTOCOL_NUMBERS.udp:
      return 'udp';
    case PROTOCOL_NUMBERS.icmp:
    case PROTOCOL_NUMBERS.icmpv6:
      return 'icmp';
    default:
      return 'other';
  }
}
