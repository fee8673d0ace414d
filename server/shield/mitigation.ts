import type { EdgeCapabilities, EdgeMatch, EdgeRule } from '../edge/driver.ts';
import { FLOOR, type Rate } from './baseline.ts';
import type { Finding } from './classify.ts';
import { type RuleSpec, ruleSpecOf } from './rule.ts';

/** Comes after rules with the customers' default priority, so that their own rules are applied first. */
export const AUTOMATIC_PRIORITY = 900;
export const AUTOMATIC_MS = 600_000;

/**
 * Responses of DNS and NTP servers pass up to this length so that the target can still query them: ordinary responses
 * are shorter, amplified ones longer. Length of the whole IP packet in bytes.
 */
const LONGEST_ANSWER: Record<number, number> = { 53: 540, 123: 110 };

/**
 * The rate that still passes for an attacked class, in packets and bits per second, whichever is lower: enough for a
 * busy target and harmless to it. Scaled down for a target whose threshold is below the floor.
 */
const ALLOWED_PPS = { syn: 2_000, udp: 5_000, icmp: 500, fragment: 1_000 } as const;
const ALLOWED_BPS = 5_000_000;
/**
 * The share of an allowed rate for a single sender, so that a flood from a few senders leaves capacity for others.
 * Enough for the connections of many users behind one address, and for the packets of a call or a game.
 */
const SOURCE_SHARE = { syn: 0.01, udp: 0.1 };
/** Somewhat more connections than a browser opens at once. */
const LEAST_PER_SOURCE = 10;
/** Minimum packet length, in bytes. */
const LEAST_LENGTH = 64;
/**
 * SYN packets per second that the edge answers on behalf of a target: far more than it receives, but within what it
 * can process.
 */
const ANSWERED_PPS = 100_000;
/** A limit allows at least this multiple of the class's usual rate. */
const USUAL_FACTOR = 2;

const ANY: EdgeMatch = {
  protocol: 'any',
  source: null,
  sourcePorts: [],
  destinationPorts: [],
  packetLength: null,
  tcpFlags: null,
  fragments: 'any',
};

interface Circumstances {
  family: 4 | 6;
  /** Usual rate of the class, in packets per second. */
  usualPps: number;
  threshold: Rate;
  /** True if the target is attacked as one of several, each of which receives little. */
  isTogether: boolean;
  capabilities: EdgeCapabilities;
}

/** Returns the rule against a finding; undefined if any rule would do more harm than good. */
export function mitigationOf(
  { class: name, meanLength, port }: Finding,
  { family, usualPps, threshold, isTogether, capabilities }: Circumstances,
): RuleSpec | undefined {
  const scale = Math.min(1, threshold.pps / FLOOR.pps, threshold.bps / FLOOR.bps);
  const within = (pps: number, bps: number) => Math.min(pps, bps / 8 / Math.max(1, meanLength));
  const limit = (match: Partial<EdgeMatch>, pps: number): RuleSpec | undefined => {
    const allowed = within(scale * pps, scale * ALLOWED_BPS);
    return exactly(match, Math.max(allowed, USUAL_FACTOR * usualPps));
  };
  /** A limit in which no sender gets more than its share. */
  const fairly = (match: Partial<EdgeMatch>, kind: 'syn' | 'udp'): RuleSpec | undefined => {
    const spec = limit(match, ALLOWED_PPS[kind]);
    if (!spec?.rate || !capabilities.limitsSources) return spec;
    const perSource = Math.max(LEAST_PER_SOURCE, Math.round(SOURCE_SHARE[kind] * spec.rate.value));
    return ruleSpecOf('rate_limit', spec.match, { ...spec.rate, perSource });
  };
  const exactly = (match: Partial<EdgeMatch>, pps: number): RuleSpec | undefined => {
    const limitTo = (unit: 'pps' | 'bps', value: number) =>
      ruleSpecOf('rate_limit', { ...ANY, ...match }, { unit, value });
    const { rateUnits } = capabilities;
    if (rateUnits.includes('pps')) return limitTo('pps', Math.max(1, Math.round(pps)));
    if (!rateUnits.includes('bps')) return undefined;
    // Routers store the rate as whole bytes in a 32-bit float.
    const bytes = Math.fround(Math.max(1, Math.round(pps * Math.max(LEAST_LENGTH, meanLength))));
    return limitTo('bps', 8 * bytes);
  };
  switch (name) {
    case 'syn': {
      const match = {
        protocol: 'tcp',
        tcpFlags: { set: ['syn'], unset: ['ack'] },
      } satisfies Partial<EdgeMatch>;
      if (port) return block({ ...match, sourcePorts: [`${port.number}`] });
      return capabilities.synProxy ? answered(match) : fairly(match, 'syn');
    }
    case 'udp':
      return port ? againstPort(port, limit) : fairly({ protocol: 'udp' }, 'udp');
    case 'icmp':
      return limit({ protocol: family === 4 ? 'icmp' : 'icmpv6' }, ALLOWED_PPS.icmp);
    case 'fragment':
      return limit({ fragments: 'only' }, ALLOWED_PPS.fragment);
    case 'tcp':
      // Users and attackers look the same here, so allow as much as could arrive without an alarm. That would be next
      // to nothing for a target attacked as one of several, so it gets no rule.
      return isTogether ? undefined : exactly({ protocol: 'tcp' }, within(threshold.pps, threshold.bps));
    case 'other':
      return undefined;
  }
}

/** Spoofed senders never complete the handshake and everyone else gets through, so no limit has to delay them. */
function answered(match: Partial<EdgeMatch>): RuleSpec {
  const rate = { unit: 'pps', value: ANSWERED_PPS, synProxy: true } as const;
  return ruleSpecOf('rate_limit', { ...ANY, ...match }, rate);
}

function block(match: Partial<EdgeMatch>): RuleSpec {
  return ruleSpecOf('block', { ...ANY, ...match }, null);
}

function againstPort(
  { number, meanLength }: { number: number; meanLength: number },
  limit: (match: Partial<EdgeMatch>, pps: number) => RuleSpec | undefined,
): RuleSpec | undefined {
  const match = { protocol: 'udp', sourcePorts: [`${number}`] } satisfies Partial<EdgeMatch>;
  const longest = LONGEST_ANSWER[number];
  if (longest === undefined) return block(match);
  // Short responses cannot be distinguished from those the target asked for.
  if (meanLength <= longest) return limit(match, ALLOWED_PPS.udp);
  return block({ ...match, packetLength: { min: longest + 1, max: 65_535 } });
}

/** Describes a rule in a few words, for its comment. */
export function describeRule({ match, rate }: Pick<EdgeRule, 'match' | 'rate'>): string {
  const ports = match.sourcePorts.length > 0 ? ` from port ${match.sourcePorts.join(', ')}` : '';
  const what = match.fragments === 'only' ? 'fragments' : `${match.protocol}${ports}`;
  if (!rate) return `Blocks ${what}`;
  if (rate.synProxy)
    return 'Answers SYN packets for the target and lets clients through that complete the handshake';
  const each = rate.perSource === undefined ? '' : `, ${rate.perSource} per sender`;
  return `Limits ${what} to ${rate.value} packets per second${each}`;
}
