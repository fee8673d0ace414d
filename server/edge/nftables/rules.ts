import ipaddr from 'ipaddr.js';
import { parseCidr } from '../../platform/cidr.ts';
import { digest } from '../../platform/nftables/listing.ts';
import type { EdgeMatch, EdgeRule, TcpFlag } from '../driver.ts';
import { FLAG_BITS, PROTOCOL_NUMBERS } from '../protocol-numbers.ts';
import { DROPPED_SET, printOf } from './names.ts';

// Rules as nft text. It contains nothing but numbers, parsed addresses and checked ids.

type Family = 4 | 6;

/** An nft rule in a target's chain, with the comment from which its origin can be read back. */
export interface ChainRule {
  text: string;
  print: string;
}

/**
 * Returns a target's chain: its rules in order, with neighbours that differ only in their ports combined into one
 * lookup.
 */
export function chainOf(
  rules: readonly EdgeRule[],
  family: Family,
  objectsOf: (rule: EdgeRule) => RuleObjects,
): ChainRule[] {
  return runsOf(rules).flatMap((run) => {
    const [first, ...more] = run as [EdgeRule, ...EdgeRule[]];
    if (more.length === 0)
      return rulesOf(first, family, objectsOf(first)).map((text) => ({ text, print: printOf(first) }));
    const print = `${first.id}+${more.length}:${digest(run.map(printOf).join())}`;
    const number = (rule: EdgeRule) => objectsOf(rule).number;
    return lookupsOf(run, family, number).map((text) => ({ text, print }));
  });
}

type PortField = 'sourcePorts' | 'destinationPorts';

/** Returns which list of ports a blocking rule has; undefined if it has neither or both. */
function portFieldOf({ match, rate }: EdgeRule): PortField | undefined {
  const { sourcePorts, destinationPorts } = match;
  if (rate || sourcePorts.length > 0 === destinationPorts.length > 0) return undefined;
  return sourcePorts.length > 0 ? 'sourcePorts' : 'destinationPorts';
}

/** Groups the rules in order: neighbours that differ only in their ports, and share no port, form one run. */
function runsOf(rules: readonly EdgeRule[]): EdgeRule[][] {
  const runs: { rules: EdgeRule[]; alike: string | undefined; ports: PortRange[] }[] = [];
  for (const rule of rules) {
    const field = portFieldOf(rule);
    const alike = field && JSON.stringify([field, Object.entries({ ...rule.match, [field]: [] }).sort()]);
    const ports = field ? rule.match[field].map(portsOf) : [];
    const last = runs.at(-1);
    if (alike && last?.alike === alike && areApart(last.ports, ports)) {
      last.rules.push(rule);
      last.ports.push(...ports);
    } else runs.push({ rules: [rule], alike, ports });
  }
  return runs.map((run) => run.rules);
}

const areApart = (some: PortRange[], others: PortRange[]) =>
  some.every((a) => others.every((b) => a.to < b.from || b.to < a.from));

/** Returns one rule for a run: the port determines the number of the rule that drops the packet. */
function lookupsOf(run: EdgeRule[], family: Family, number: (rule: EdgeRule) => number): string[] {
  const [{ match }] = run as [EdgeRule];
  const field = portFieldOf(run[0]!)!;
  const elements = run.flatMap((rule) =>
    merged(rule.match[field]).map((ports) => `${ports} : ${number(rule)}`),
  );
  const lookup = `th ${field === 'sourcePorts' ? 'sport' : 'dport'} map { ${elements.join(', ')} }`;
  // Last, because a packet that passes must keep its mark.
  return conditionsOf(match, family, { [field]: '' }).map((condition) =>
    `${condition} meta mark set ${lookup} meta mark @${DROPPED_SET} drop`.trim(),
  );
}

/** IPv6 headers that the kernel skips when it looks for a packet's protocol, so they must be matched differently. */
const EXTENSION_HEADERS = [0, 43, 44, 51, 60];
/** Bits of an IPv4 header that mark a fragment: its offset, or that more follow. */
const FRAGMENT_BITS = '0x3fff';
/**
 * Conditions for packets that contain the transport header. In a later fragment at ingress, the kernel treats the
 * bytes at that position as ports and flags. IPv6 has two such kinds: whole packets and first fragments.
 */
const HAS_HEADER = { 4: ['@nh,48,16 & 0x1fff == 0'], 6: ['exthdr frag missing', 'frag frag-off 0'] };
const IPV6_HEADER_BYTES = 40;
const MAX_LENGTH = 65_535;

/** Burst above a limit, as a share of a second: the smaller it is, the more an uneven link loses. */
const BURST_SHARE = 0.1;
const LEAST_BURST_PACKETS = 5;
/** The longest possible packet must fit, or it would never pass. */
const LEAST_BURST_BYTES = 65_536;
/** The kernel's maximum. */
const MOST_BURST = 2 ** 31;

/**
 * Returns the conditions under which nft applies the rule, any one of which suffices; an empty string matches every
 * packet. Returns none if the rule matches no packet of this family.
 */
export function conditionsOf(
  match: EdgeMatch,
  family: Family,
  /** Text that replaces a list of ports. */
  instead: Partial<Record<PortField, string>> = {},
): string[] {
  const protocol = numberOf(match.protocol);
  const hasPorts = match.sourcePorts.length + match.destinationPorts.length > 0;
  // Other protocols have neither ports nor flags. nft is never given a contradiction because it cannot read some of
  // them back.
  if (hasPorts && protocol !== null && protocol !== PROTOCOL_NUMBERS.tcp && protocol !== PROTOCOL_NUMBERS.udp)
    return [];
  if (match.tcpFlags && protocol !== null && protocol !== PROTOCOL_NUMBERS.tcp) return [];
  // The cheapest and most selective conditions come first, because most rules are evaluated for packets they do not
  // match. A port takes two steps, a field of the IP header five or more, because nft checks the IP version each
  // time.
  const parts = [
    instead.sourcePorts ?? portPart('sport', match.sourcePorts),
    instead.destinationPorts ?? portPart('dport', match.destinationPorts),
    protocolPart(protocol, family, { hasPorts, hasFlags: match.tcpFlags !== null }),
    flagPart(match.tcpFlags),
    sourcePart(match.source, family),
    lengthPart(match.packetLength, family),
    fragmentPart(match.fragments, family),
  ];
  if (parts.includes(null)) return [];
  const kinds = hasPorts || match.tcpFlags ? HAS_HEADER[family] : [''];
  return kinds.map((kind) => [...parts, kind].filter((part) => part !== '').join(' '));
}

/**
 * A rule's objects in the kernel besides its lines: its number in the set of counters, and the names of its limit and
 * its senders' set.
 */
export interface RuleObjects {
  number: number;
  limit: string;
  sources: string;
}

/** Returns the nft rules, in order, that implement a rule; drops are counted. */
export function rulesOf(
  { match, rate }: EdgeRule,
  family: Family,
  { number, limit, sources }: RuleObjects,
): string[] {
  // The mark of a dropped packet has no other use: it passes the number to the set that counts.
  const drop = `meta mark set ${number} meta mark @${DROPPED_SET} drop`;
  return conditionsOf(match, family).flatMap((condition) => {
    if (!rate) return [`${condition} ${drop}`.trim()];
    // If the set is full, a new sender is not added, and only the common limit applies to it.
    const each =
      rate.perSource === undefined
        ? []
        : [`${condition} ${eachSource(rate.perSource, family, sources)} ${drop}`];
    // A packet within the limit has matched its rule, so no later rule is evaluated.
    return [
      ...each.map((line) => line.trim()),
      `${condition} limit name "${limit}" ${drop}`.trim(),
      `${condition} accept`.trim(),
    ];
  });
}

/** Senders that one limit distinguishes: each costs the kernel a few hundred bytes. */
const MAX_SOURCES = 4_096;
/** A sender that was silent for this long is forgotten. */
const SOURCE_SECONDS = 10;
const SENDER = { 4: 'ip saddr', 6: 'ip6 saddr & ffff:ffff:ffff:ffff::' };

/** Returns the definition of the set of a limit's senders. */
export function sourcesOf(family: Family): string {
  return `type ipv${family}_addr; size ${MAX_SOURCES}; flags dynamic,timeout; timeout ${SOURCE_SECONDS}s;`;
}

function eachSource(pps: number, family: Family, set: string): string {
  const rate = Math.min(pps, MAX_RATE.pps);
  // One second's worth, because a client opens its connections all at once.
  const burst = Math.max(LEAST_BURST_PACKETS, rate);
  return `update @${set} { ${SENDER[family]} limit rate over ${rate}/second burst ${burst} packets }`;
}

/** Above these, the kernel's sum of a second's tokens does not fit into 64 bits. */
export const MAX_RATE = { pps: 1_000_000_000, bps: 130_000_000_000 } as const;

/** Returns a limit that passes this rate in total. */
export function limitOf({ unit, value }: NonNullable<EdgeRule['rate']>): string {
  const most = Math.min(value, MAX_RATE[unit]);
  const per = unit === 'pps' ? most : Math.ceil(most / 8);
  const least = unit === 'pps' ? LEAST_BURST_PACKETS : LEAST_BURST_BYTES;
  const burst = Math.min(MOST_BURST, Math.max(least, Math.ceil(per * BURST_SHARE)));
  return unit === 'pps'
    ? `rate over ${per}/second burst ${burst} packets`
    : `rate over ${per} bytes/second burst ${burst} bytes`;
}

/** Returns a protocol's number; null for any. */
function numberOf(protocol: EdgeMatch['protocol']): number | null {
  if (protocol === 'any') return null;
  return typeof protocol === 'number' ? protocol : PROTOCOL_NUMBERS[protocol];
}

function protocolPart(
  number: number | null,
  family: Family,
  { hasPorts, hasFlags }: { hasPorts: boolean; hasFlags: boolean },
): string {
  if (hasFlags) return `meta l4proto ${PROTOCOL_NUMBERS.tcp}`;
  if (number === null)
    return hasPorts ? `meta l4proto { ${PROTOCOL_NUMBERS.tcp}, ${PROTOCOL_NUMBERS.udp} }` : '';
  if (family === 6 && EXTENSION_HEADERS.includes(number)) return `ip6 nexthdr ${number}`;
  return `meta l4proto ${number}`;
}

function sourcePart(source: string | null, family: Family): string | null {
  if (source === null) return '';
  const cidr = parseCidr(source);
  if (!cidr) throw new Error(`not a network: ${source}`);
  if (cidr.family !== family) return null;
  if (cidr.prefix === 0) return '';
  return `${family === 4 ? 'ip' : 'ip6'} saddr ${ipaddr.parse(cidr.address)}/${cidr.prefix}`;
}

function fragmentPart(fragments: EdgeMatch['fragments'], family: Family): string {
  if (fragments === 'any') return '';
  const only = fragments === 'only';
  if (family === 6) return `exthdr frag ${only ? 'exists' : 'missing'}`;
  return `ip frag-off & ${FRAGMENT_BITS} ${only ? '!=' : '=='} 0`;
}

/** Matches the length in the header, because the frame may have been padded. */
function lengthPart(length: EdgeMatch['packetLength'], family: Family): string | null {
  if (!length) return '';
  const header = family === 4 ? 0 : IPV6_HEADER_BYTES;
  const [min, max] = [Math.max(0, length.min - header), Math.min(MAX_LENGTH, length.max) - header];
  if (max < min) return null;
  const range = min === max ? `${min}` : `${min}-${max}`;
  return `${family === 4 ? 'ip' : 'ip6'} length ${range}`;
}

function portPart(field: 'sport' | 'dport', ports: string[]): string {
  if (ports.length === 0) return '';
  return `th ${field} { ${merged(ports).join(', ')} }`;
}

/** Both ends are included. */
interface PortRange {
  from: number;
  to: number;
}

/** Parses "53" or "1024-2000". */
function portsOf(text: string): PortRange {
  const [from, to = from] = text.split('-').map(Number) as [number, number?];
  if (!Number.isInteger(from) || !Number.isInteger(to)) throw new Error(`not a port: ${text}`);
  return { from, to };
}

/** Merges ports into ranges that do not touch, as an nft set requires. */
function merged(ports: string[]): string[] {
  const ranges = ports.map(portsOf).sort((a, b) => a.from - b.from);
  const all: PortRange[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    if (last && range.from <= last.to + 1) last.to = Math.max(last.to, range.to);
    else all.push({ ...range });
  }
  return all.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
}

function flagPart(flags: EdgeMatch['tcpFlags']): string | null {
  if (!flags) return '';
  const bits = (names: TcpFlag[]) => names.reduce((sum, name) => sum | FLAG_BITS[name], 0);
  const [set, unset] = [bits(flags.set), bits(flags.unset)];
  if ((set & unset) !== 0) return null;
  return `tcp flags & ${hex(set | unset)} == ${hex(set)}`;
}

const hex = (bits: number) => `0x${bits.toString(16)}`;
