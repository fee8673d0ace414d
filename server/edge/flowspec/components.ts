import { parseCidr } from '../../platform/cidr.ts';
import type { EdgeMatch, EdgeRefusal, TcpFlag } from '../driver.ts';
import { FLAG_BITS, PROTOCOL_NUMBERS } from '../protocol-numbers.ts';
import { addressBytes } from './route.ts';

// Encodes a rule's match as FlowSpec components: RFC 8955, and RFC 8956 for IPv6.

type Family = 4 | 6;
/** One part of a match: its type, and the bytes that follow it. */
export interface Component {
  type: number;
  value: Buffer;
  /** For a network: its prefix as a string of binary digits. */
  network?: string;
}

const TYPE = {
  destination: 1,
  source: 2,
  protocol: 3,
  destinationPort: 5,
  sourcePort: 6,
  tcpFlags: 9,
  packetLength: 10,
  fragment: 12,
};
/** IPv6 headers that routers skip when looking for the protocol (IANA, "IPv6 Extension Header Types"). */
const EXTENSION_HEADERS = [0, 43, 44, 50, 51, 60, 135, 139, 140, 253, 254];
/** A later fragment, and the first one. */
const IS_FRAGMENT = 0x02 | 0x04;

const AND = 0x40;
const END = 0x80;
const NUMERIC = { less: 0x04, greater: 0x02, equal: 0x01 };
const BITS = { not: 0x02, all: 0x01 };

interface Item {
  op: number;
  value: number;
}

/** Part of a rule that FlowSpec cannot express. */
export class InexpressibleError extends Error {
  override name = 'InexpressibleError';
  readonly part: EdgeRefusal['field'];

  constructor(part: EdgeRefusal['field'], message: string) {
    super(message);
    this.part = part;
  }
}

/**
 * Returns a match for packets to an address as components, in the order of their types. Throws {@link
 * InexpressibleError}.
 */
export function componentsOf(match: EdgeMatch, ip: string, family: Family): Component[] {
  const protocols = protocolsOf(match, family);
  return [
    network(TYPE.destination, ip, family === 4 ? 32 : 128, family),
    ...source(match.source, family),
    ...items(
      TYPE.protocol,
      protocols.map((value) => equal(value)),
    ),
    ...items(TYPE.destinationPort, match.destinationPorts.flatMap(range)),
    ...items(TYPE.sourcePort, match.sourcePorts.flatMap(range)),
    ...items(TYPE.tcpFlags, flags(match.tcpFlags)),
    ...items(TYPE.packetLength, length(match.packetLength)),
    ...items(TYPE.fragment, fragments(match.fragments)),
  ];
}

/** Returns the bytes that represent a match in BGP. */
export function nlriOf(components: Component[]): Buffer {
  const body = Buffer.concat(components.flatMap(({ type, value }) => [Buffer.of(type), value]));
  const length =
    body.length < 0xf0 ? Buffer.of(body.length) : Buffer.of(0xf0 | (body.length >> 8), body.length & 0xff);
  return Buffer.concat([length, body]);
}

/** Compares the order in which routers evaluate two rules (RFC 8955, 5.1): negative if `a` comes first. */
export function order(a: Component[], b: Component[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [one, other] = [a[index], b[index]];
    if (!one || !other) return one ? -1 : 1;
    if (one.type !== other.type) return one.type - other.type;
    const found =
      one.network === undefined
        ? orderOfItems(one.value, other.value)
        : orderOfNetworks(one.network, other.network!);
    if (found !== 0) return found;
  }
  return 0;
}

/** If one network contains the other, the longer prefix comes first; otherwise the lower one. */
function orderOfNetworks(a: string, b: string): number {
  const common = Math.min(a.length, b.length);
  const [one, other] = [a.slice(0, common), b.slice(0, common)];
  return one === other ? b.length - a.length : one < other ? -1 : 1;
}

/** The lower bytes come first; if one is a prefix of the other, the longer. */
function orderOfItems(a: Buffer, b: Buffer): number {
  const common = Math.min(a.length, b.length);
  return Buffer.compare(a.subarray(0, common), b.subarray(0, common)) || b.length - a.length;
}

function protocolsOf(match: EdgeMatch, family: Family): number[] {
  const { protocol, sourcePorts, destinationPorts, tcpFlags } = match;
  if (protocol === 'any') {
    if (tcpFlags) return [PROTOCOL_NUMBERS.tcp];
    return sourcePorts.length + destinationPorts.length > 0
      ? [PROTOCOL_NUMBERS.tcp, PROTOCOL_NUMBERS.udp]
      : [];
  }
  const number = typeof protocol === 'number' ? protocol : PROTOCOL_NUMBERS[protocol];
  if (family === 6 && EXTENSION_HEADERS.includes(number)) {
    throw new InexpressibleError('protocol', `routers skip the IPv6 header ${protocol}`);
  }
  return [number];
}

function source(text: string | null, family: Family): Component[] {
  const cidr = text === null ? undefined : parseCidr(text);
  if (cidr && cidr.family !== family)
    throw new InexpressibleError('source', 'belongs to the other address family');
  if (!cidr || cidr.prefix === 0) return [];
  return [network(TYPE.source, cidr.address, cidr.prefix, family)];
}

/**
 * Encodes the length, for IPv6 also the offset at which the pattern begins, and as many bytes as the length needs.
 */
function network(type: number, ip: string, length: number, family: Family): Component {
  const bytes = addressBytes(ip).subarray(0, Math.ceil(length / 8));
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const head = family === 4 ? Buffer.of(length) : Buffer.of(length, 0);
  return { type, value: Buffer.concat([head, bytes]), network: bits.slice(0, length) };
}

const equal = (value: number): Item => ({ op: NUMERIC.equal, value });

function between(min: number, max: number): Item[] {
  if (min === max) return [equal(min)];
  return [
    { op: NUMERIC.greater | NUMERIC.equal, value: min },
    { op: AND | NUMERIC.less | NUMERIC.equal, value: max },
  ];
}

function range(ports: string): Item[] {
  const [from, to = from] = ports.split('-').map(Number) as [number, number?];
  return between(from, to as number);
}

const length = (packetLength: EdgeMatch['packetLength']) =>
  packetLength ? between(packetLength.min, packetLength.max) : [];

/** All of the `set` bits and none of the `unset` ones. */
function flags(tcpFlags: EdgeMatch['tcpFlags']): Item[] {
  if (!tcpFlags) return [];
  if (tcpFlags.set.length + tcpFlags.unset.length === 0) {
    throw new InexpressibleError('tcpFlags', 'names no flag');
  }
  const bits = (names: TcpFlag[]) => names.reduce((sum, name) => sum | FLAG_BITS[name], 0);
  const found: Item[] = [];
  if (tcpFlags.set.length > 0) found.push({ op: BITS.all, value: bits(tcpFlags.set) });
  const and = found.length > 0 ? AND : 0;
  if (tcpFlags.unset.length > 0) found.push({ op: and | BITS.not, value: bits(tcpFlags.unset) });
  return found;
}

function fragments(which: EdgeMatch['fragments']): Item[] {
  if (which === 'any') return [];
  return [{ op: which === 'none' ? BITS.not : 0, value: IS_FRAGMENT }];
}

/** Encodes a list of items with its end marked. Returns no component for an empty list. */
function items(type: number, list: Item[]): Component[] {
  if (list.length === 0) return [];
  const bytes = list.flatMap(({ op, value }, index) => {
    const end = index === list.length - 1 ? END : 0;
    return value > 0xff ? [op | end | 0x10, value >> 8, value & 0xff] : [op | end, value];
  });
  return [{ type, value: Buffer.from(bytes) }];
}
