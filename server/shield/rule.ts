import { createHash } from 'node:crypto';
import { formatPorts, parsePorts } from '../domain/network/ports.ts';
import type { EdgeMatch, EdgeRule } from '../edge/driver.ts';
import { parseNetwork } from '../platform/cidr.ts';
import { type FieldProblem, validationFailed } from '../platform/errors.ts';
import type { FieldCode } from '../platform/field-codes.ts';

export const RULE_ACTIONS = ['block', 'rate_limit'] as const;
export const NAMED_PROTOCOLS = ['any', 'tcp', 'udp', 'icmp', 'icmpv6', 'gre', 'esp', 'ah'] as const;
export const TCP_FLAGS = ['fin', 'syn', 'rst', 'psh', 'ack', 'urg'] as const;
export const FRAGMENTS = ['any', 'only', 'none'] as const;
/** Maximum number of port ranges in one list. */
export const MAX_PORT_RANGES = 16;
export const MAX_PACKET_LENGTH = 65_535;

type TcpFlag = (typeof TCP_FLAGS)[number];

/** A rule as the API accepts it; absent and null mean the same. */
export interface RuleInput {
  action: EdgeRule['action'];
  protocol?: EdgeMatch['protocol'];
  source?: string | null;
  source_ports?: string[];
  destination_ports?: string[];
  packet_length?: { min: number; max: number } | null;
  tcp_flags?: { set: TcpFlag[]; unset: TcpFlag[] } | null;
  fragments?: EdgeMatch['fragments'];
  rate?: { pps: number } | { bps: number } | null;
  confirm_block_all?: boolean;
}

/** The effect of a rule in canonical form, so that equal rules have equal fingerprints. */
export type RuleSpec = Pick<EdgeRule, 'action' | 'match' | 'rate'> & { fingerprint: string };

/** Names of protocol numbers: 6 and tcp mean the same. */
const NAMES: Record<number, EdgeMatch['protocol']> = {
  6: 'tcp',
  17: 'udp',
  1: 'icmp',
  58: 'icmpv6',
  47: 'gre',
  50: 'esp',
  51: 'ah',
};

/** Protocols that exist in only one address family. */
const FAMILY_OF: Partial<Record<EdgeMatch['protocol'], 4 | 6>> = { icmp: 4, icmpv6: 6 };

/**
 * Returns the canonical form of a rule for a target of this family. Throws `validation_failed` with every problem if
 * the rule is inconsistent, or if it matches everything without explicit confirmation.
 */
export function requireRuleSpec(input: RuleInput, family: 4 | 6): RuleSpec {
  const problems: FieldProblem[] = [];
  const { protocol: given = 'any' } = input;
  const protocol = typeof given === 'number' ? (NAMES[given] ?? given) : given;
  checkProtocol(protocol, family, problems);
  const match: EdgeMatch = {
    protocol,
    source: checkSource(input.source ?? null, family, problems),
    sourcePorts: checkPorts('source_ports', input.source_ports, protocol, problems),
    destinationPorts: checkPorts('destination_ports', input.destination_ports, protocol, problems),
    packetLength: checkLength(input.packet_length ?? null, problems),
    tcpFlags: checkFlags(input.tcp_flags ?? null, protocol, problems),
    fragments: input.fragments ?? 'any',
  };
  const rate = checkRate(input, problems);
  if (problems.length === 0 && !narrows(match) && !input.confirm_block_all) {
    const message = 'the rule matches every packet; narrow it down, or send confirm_block_all: true';
    problems.push({ field: 'confirm_block_all', code: 'required', message });
  }
  if (problems.length > 0) throw validationFailed(problems);
  return ruleSpecOf(input.action, match, rate);
}

/** Adds the fingerprint to a rule in canonical form. */
export function ruleSpecOf(action: EdgeRule['action'], match: EdgeMatch, rate: EdgeRule['rate']): RuleSpec {
  const parts = [
    action,
    match.protocol,
    match.source,
    match.sourcePorts,
    match.destinationPorts,
    match.packetLength && [match.packetLength.min, match.packetLength.max],
    match.tcpFlags && [match.tcpFlags.set, match.tcpFlags.unset],
    match.fragments,
    rate && [
      rate.unit,
      rate.value,
      ...(rate.perSource === undefined ? [] : [rate.perSource]),
      ...(rate.synProxy ? ['proxy'] : []),
    ],
  ];
  const fingerprint = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return { action, match, rate, fingerprint };
}

function checkProtocol(protocol: EdgeMatch['protocol'], family: 4 | 6, problems: FieldProblem[]): void {
  const wanted = FAMILY_OF[protocol];
  if (!wanted || wanted === family) return;
  const message = `${protocol} belongs to IPv${wanted}, but the target has an IPv${family} address`;
  problems.push({ field: 'protocol', code: 'conflict', message });
}

/** Returns the canonical network; null for any source. */
function checkSource(text: string | null, family: 4 | 6, problems: FieldProblem[]): string | null {
  if (text === null) return null;
  const refuse = (code: FieldCode, message: string) => {
    problems.push({ field: 'source', code, message });
    return null;
  };
  const cidr = parseNetwork(text);
  if (!cidr)
    return refuse(
      'invalid_format',
      'must be an address or a network such as 203.0.113.0/24 or 2001:db8::/32',
    );
  if (cidr.hasHostBits) return refuse('invalid_format', `${text} has bits set to the right of its prefix`);
  if (cidr.family !== family) {
    return refuse('conflict', `must be an IPv${family} network like the target's address`);
  }
  return cidr.prefix === 0 ? null : cidr.text;
}

/** Returns canonical ranges, sorted and without duplicates. */
function checkPorts(
  field: string,
  texts: string[] | undefined,
  protocol: EdgeMatch['protocol'],
  problems: FieldProblem[],
): string[] {
  if (!texts || texts.length === 0) return [];
  if (protocol !== 'tcp' && protocol !== 'udp') {
    const message = 'requires the protocol tcp or udp, because others have no ports';
    problems.push({ field, code: 'conflict', message });
    return [];
  }
  const ranges = texts.flatMap((text, index) => {
    const range = parsePorts(text);
    const message = 'must be a port such as "53" or a range such as "1000-2000", from 1 to 65535';
    if (!range) problems.push({ field: `${field}.${index}`, code: 'invalid_format', message });
    return range ? [range] : [];
  });
  return [...new Set(ranges.sort((a, b) => a.from - b.from || a.to - b.to).map(formatPorts))];
}

/** Returns the range; null if it includes every length. */
function checkLength(length: { min: number; max: number } | null, problems: FieldProblem[]) {
  if (!length || (length.min <= 0 && length.max >= MAX_PACKET_LENGTH)) return null;
  if (length.min <= length.max) return { min: length.min, max: length.max };
  problems.push({ field: 'packet_length', code: 'conflict', message: 'min must not be greater than max' });
  return null;
}

function checkFlags(
  flags: { set: TcpFlag[]; unset: TcpFlag[] } | null,
  protocol: EdgeMatch['protocol'],
  problems: FieldProblem[],
): EdgeMatch['tcpFlags'] {
  if (!flags) return null;
  const ordered = (names: TcpFlag[]) => TCP_FLAGS.filter((name) => names.includes(name));
  const [set, unset] = [ordered(flags.set), ordered(flags.unset)];
  if (set.length + unset.length === 0) return null;
  const refuse = (code: FieldCode, message: string) => problems.push({ field: 'tcp_flags', code, message });
  if (protocol !== 'tcp') refuse('conflict', 'requires the protocol tcp');
  const both = set.filter((name) => unset.includes(name));
  if (both.length > 0) refuse('conflict', `${both.join(', ')} cannot be set and unset at once`);
  return { set, unset };
}

function checkRate({ action, rate }: RuleInput, problems: FieldProblem[]): EdgeRule['rate'] {
  if (action === 'block') {
    if (rate) problems.push({ field: 'rate', code: 'conflict', message: 'is only allowed for rate_limit' });
    return null;
  }
  if (!rate) {
    problems.push({ field: 'rate', code: 'required', message: 'is required for rate_limit' });
    return null;
  }
  return 'pps' in rate ? { unit: 'pps', value: rate.pps } : { unit: 'bps', value: rate.bps };
}

/** Returns true if some packets do not match. */
function narrows(match: EdgeMatch): boolean {
  const { protocol, source, sourcePorts, destinationPorts, packetLength, tcpFlags, fragments } = match;
  return (
    protocol !== 'any' ||
    source !== null ||
    sourcePorts.length > 0 ||
    destinationPorts.length > 0 ||
    packetLength !== null ||
    tcpFlags !== null ||
    fragments !== 'any'
  );
}
