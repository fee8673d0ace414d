import type { StoredMatch, StoredRule } from '../db/queries/shield-rules.ts';
import type { EdgeCapabilities } from '../edge/driver.ts';
import { FLOOR, type Rate } from './baseline.ts';
import type { Finding } from './classify.ts';
import { type RuleSpec, ruleSpecOf } from './rule.ts';

/** Behind what customers write with the usual priority: their own rules have the first word. */
export const AUTOMATIC_PRIORITY = 900;
export const AUTOMATIC_MS = 600_000;

/**
 * Answers of DNS and NTP servers are let through up to this length, so that the target can still ask: ordinary
 * ones are shorter, amplified ones longer. Whole IP packets in bytes.
 */
const LONGEST_ANSWER: Record<number, number> = { 53: 540, 123: 110 };

/**
 * Packets a second that are let through of an attacked class, and bits a second, whichever is less: what a busy target
 * needs, and does no harm. Of a target whose threshold is below the floor it is as much less.
 */
const ALLOWED_PPS = { syn: 2_000, udp: 5_000, icmp: 500, fragment: 1_000 } as const;
const ALLOWED_BPS = 5_000_000;
/**
 * Of that, the share that one sender may have, so that a flood of few senders leaves room for others: more connections than
 * a crowd behind one address opens, and as many packets as a call or a game has.
 */
const SOURCE_SHARE = { syn: 0.01, udp: 0.1 };
/** What a browser opens at once, and some more. */
const LEAST_PER_SOURCE = 10;
/** Of a packet, in bytes. */
const LEAST_LENGTH = 64;
/** SYN that the edge answers in a target's place, a second: far more than it gets, and no more work than it can do. */
const ANSWERED_PPS = 100_000;
/** What is usual for the class times this passes. */
const USUAL_FACTOR = 2;

const ANY: StoredMatch = {
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
  /** Of the class, in packets a second. */
  usualPps: number;
  threshold: Rate;
  /** Attacked as one of several, each of which receives little. */
  isTogether: boolean;
  capabilities: EdgeCapabilities;
}

/** The rule against a finding; undefined where there is none that would not do more harm than good. */
export function mitigationOf(
  { class: name, meanLength, port }: Finding,
  { family, usualPps, threshold, isTogether, capabilities }: Circumstances,
): RuleSpec | undefined {
  const scale = Math.min(1, threshold.pps / FLOOR.pps, threshold.bps / FLOOR.bps);
  const within = (pps: number, bps: number) => Math.min(pps, bps / 8 / Math.max(1, meanLength));
  const limit = (match: Partial<StoredMatch>, pps: number): RuleSpec | undefined => {
    const allowed = within(scale * pps, scale * ALLOWED_BPS);
    return exactly(match, Math.max(allowed, USUAL_FACTOR * usualPps));
  };
  /** The same, in which no sender has more than its share. */
  const fairly = (match: Partial<StoredMatch>, kind: 'syn' | 'udp'): RuleSpec | undefined => {
    const spec = limit(match, ALLOWED_PPS[kind]);
    if (!spec?.rate || !capabilities.limitsSources) return spec;
    const perSource = Math.max(LEAST_PER_SOURCE, Math.round(SOURCE_SHARE[kind] * spec.rate.value));
    return ruleSpecOf('rate_limit', spec.match, { ...spec.rate, perSource });
  };
  const exactly = (match: Partial<StoredMatch>, pps: number): RuleSpec | undefined => {
    const limitTo = (unit: 'pps' | 'bps', value: number) =>
      ruleSpecOf('rate_limit', { ...ANY, ...match }, { unit, value });
    const { rateUnits } = capabilities;
    if (rateUnits.includes('pps')) return limitTo('pps', Math.max(1, Math.round(pps)));
    if (!rateUnits.includes('bps')) return undefined;
    // Whole bytes of 32-bit floating point, as routers are told.
    const bytes = Math.fround(Math.max(1, Math.round(pps * Math.max(LEAST_LENGTH, meanLength))));
    return limitTo('bps', 8 * bytes);
  };
  switch (name) {
    case 'syn': {
      const match = {
        protocol: 'tcp',
        tcpFlags: { set: ['syn'], unset: ['ack'] },
      } satisfies Partial<StoredMatch>;
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
      // Users and attackers look alike: as much as could have come without an alarm, so nothing where that is little.
      return isTogether ? undefined : exactly({ protocol: 'tcp' }, within(threshold.pps, threshold.bps));
    case 'other':
      return undefined;
  }
}

/** Spoofed senders never answer back, and all others get through: no limit that would make these wait. */
function answered(match: Partial<StoredMatch>): RuleSpec {
  const rate = { unit: 'pps', value: ANSWERED_PPS, synProxy: true } as const;
  return ruleSpecOf('rate_limit', { ...ANY, ...match }, rate);
}

function block(match: Partial<StoredMatch>): RuleSpec {
  return ruleSpecOf('block', { ...ANY, ...match }, null);
}

function againstPort(
  { number, meanLength }: { number: number; meanLength: number },
  limit: (match: Partial<StoredMatch>, pps: number) => RuleSpec | undefined,
): RuleSpec | undefined {
  const match = { protocol: 'udp', sourcePorts: [`${number}`] } satisfies Partial<StoredMatch>;
  const longest = LONGEST_ANSWER[number];
  if (longest === undefined) return block(match);
  // Short answers cannot be distinguished from the ones that the target asked for.
  if (meanLength <= longest) return limit(match, ALLOWED_PPS.udp);
  return block({ ...match, packetLength: { min: longest + 1, max: 65_535 } });
}

/** A rule in a few words, for its comment. */
export function describeRule({ match, rate }: Pick<StoredRule, 'match' | 'rate'>): string {
  const ports = match.sourcePorts.length > 0 ? ` from port ${match.sourcePorts.join(', ')}` : '';
  const what = match.fragments === 'only' ? 'fragments' : `${match.protocol}${ports}`;
  if (!rate) return `Blocks ${what}`;
  if (rate.synProxy) return 'Answers SYN in place of the target, and lets clients through that answer back';
  const each = rate.perSource === undefined ? '' : `, ${rate.perSource} from one sender`;
  return `Limits ${what} to ${rate.value} packets a second${each}`;
}
