import {
  EDGE_CLASSES,
  type EdgeClass,
  type EdgeRule,
  type EdgeTarget,
  type TargetTotals,
  type Volume,
} from '../driver.ts';
import { type CompiledRule, classOf, compileRules, firstMatch, type Packet } from './packet.ts';
import {
  type Attack,
  attackFlows,
  type Flow,
  normalFlows,
  normalOutBytes,
  normalPackets,
} from './traffic.ts';

/** A target's counters: in = passed + dropped. They keep fractions of packets, which are never shown. */
interface Counts {
  passed: Volume;
  dropped: Volume;
  classes: Record<EdgeClass, Volume>;
  /** By rule id. */
  rules: Record<string, Volume>;
  outBytes: number;
}

/**
 * A target as stored. Its counters at any instant follow from this and the instant: `counts` until `since`, and after
 * that the effect of its rules on its flows.
 */
export interface SimulatedTarget {
  ip: string;
  family: 4 | 6;
  rules: EdgeRule[];
  blackholed: boolean;
  attacks: Attack[];
  /** Epoch milliseconds. */
  since: number;
  counts: Counts;
  /** Start of the latest port sample. */
  drillAt: number | null;
}

const PORT_SAMPLE_MS = 30_000;

const nothing = (): Volume => ({ packets: 0, bytes: 0 });

export function newTarget({ ip, family, rules }: EdgeTarget, now: number): SimulatedTarget {
  const classes = Object.fromEntries(EDGE_CLASSES.map((name) => [name, nothing()])) as Counts['classes'];
  const counts = { passed: nothing(), dropped: nothing(), classes, rules: {}, outBytes: 0 };
  return { ip, family, rules, blackholed: false, attacks: [], since: now, counts, drillAt: null };
}

function add(to: Volume, packets: number, { length }: Packet): void {
  to.packets += packets;
  to.bytes += packets * length;
}

interface Arrival {
  packet: Packet;
  packets: number;
}

/** Returns the traffic between two instants during which no attack starts or ends. */
function arrivals(id: string, target: SimulatedTarget, from: number, to: number): Arrival[] {
  const { family, attacks } = target;
  const of = (flows: Flow[], packets: number) =>
    flows.map(({ packet, share }) => ({ packet, packets: packets * share }));
  const under = attacks.filter((attack) => attack.from <= from && attack.to >= to);
  return [
    ...of(normalFlows(id, family), normalPackets(id, from, to)),
    ...under.flatMap((attack) => of(attackFlows(id, family, attack), (attack.pps * (to - from)) / 1000)),
  ];
}

/** Splits [from, to] at the instants at which attacks start or end. */
function segments({ attacks }: SimulatedTarget, from: number, to: number): [number, number][] {
  const cuts = attacks.flatMap((attack) => [attack.from, attack.to]).filter((at) => at > from && at < to);
  const edges = [...new Set([from, ...cuts, to])].sort((a, b) => a - b);
  return edges.slice(1).map((end, index) => [edges[index]!, end]);
}

/** Returns the share of each rule's matched packets that the rule drops. */
function dropShares(rules: CompiledRule[], matched: Volume[], seconds: number): number[] {
  return rules.map(({ rule: { rate } }, index) => {
    if (!rate) return 1;
    const { packets, bytes } = matched[index]!;
    const wanted = rate.unit === 'pps' ? packets : bytes * 8;
    const allowed = rate.value * seconds;
    return wanted > allowed ? 1 - allowed / wanted : 0;
  });
}

function countSegment(
  counts: Counts,
  rules: CompiledRule[],
  blackholed: boolean,
  flows: Arrival[],
  seconds: number,
): void {
  const places = flows.map(({ packet }) => firstMatch(rules, packet));
  const matched = rules.map(nothing);
  for (const [index, { packet, packets }] of flows.entries()) {
    const volume = matched[places[index]!];
    if (volume) add(volume, packets, packet);
  }
  const shares = dropShares(rules, matched, seconds);
  for (const [index, { packet, packets }] of flows.entries()) {
    const place = places[index]!;
    const dropped = blackholed ? packets : packets * (shares[place] ?? 0);
    add(counts.classes[classOf(packet)], packets, packet);
    add(counts.passed, packets - dropped, packet);
    add(counts.dropped, dropped, packet);
    if (blackholed || dropped === 0) continue;
    const { id } = rules[place]!.rule;
    counts.rules[id] ??= nothing();
    add(counts.rules[id], dropped, packet);
  }
}

/** Returns the target's counters at `now`, in epoch milliseconds; they never fall. */
export function countsAt(id: string, target: SimulatedTarget, now: number): Counts {
  const counts = structuredClone(target.counts);
  const rules = compileRules(target.rules);
  for (const [from, to] of segments(target, target.since, Math.max(now, target.since))) {
    countSegment(counts, rules, target.blackholed, arrivals(id, target, from, to), (to - from) / 1000);
    const usual = arrivals(id, { ...target, attacks: [] }, from, to);
    counts.outBytes += normalOutBytes(
      usual.reduce((bytes, { packet, packets }) => bytes + packets * packet.length, 0),
    );
  }
  return counts;
}

/** Returns the target with its counters brought up to `now`, so that something about it can change from then on. */
export function settledAt(id: string, target: SimulatedTarget, now: number): SimulatedTarget {
  const since = Math.max(now, target.since);
  return {
    ...target,
    counts: countsAt(id, target, since),
    since,
    attacks: target.attacks.filter(({ to }) => to > since),
  };
}

/** Returns the target with other rules; rules that stay keep their counters. */
export function withRules(id: string, target: SimulatedTarget, rules: EdgeRule[], now: number) {
  const settled = settledAt(id, target, now);
  const kept = new Set(rules.map((rule) => rule.id));
  const counters = Object.entries(settled.counts.rules).filter(([ruleId]) => kept.has(ruleId));
  return { ...settled, rules, counts: { ...settled.counts, rules: Object.fromEntries(counters) } };
}

export const whole = ({ packets, bytes }: Volume): Volume => ({
  packets: Math.floor(packets),
  bytes: Math.floor(bytes),
});

export function totalsOf(id: string, { passed, dropped, outBytes }: Counts): TargetTotals {
  const [through, held] = [whole(passed), whole(dropped)];
  return {
    id,
    in: { packets: through.packets + held.packets, bytes: through.bytes + held.bytes },
    passed: through,
    outBytes: Math.floor(outBytes),
  };
}

/** Returns traffic by source port since the port sample began; undefined if there was no sample. */
export function sampledPorts(id: string, target: SimulatedTarget, now: number) {
  if (target.drillAt === null) return undefined;
  const ports = new Map<string, { protocol: 'tcp' | 'udp'; port: number } & Volume>();
  for (const [from, to] of segments(target, target.drillAt, Math.min(now, target.drillAt + PORT_SAMPLE_MS))) {
    for (const { packet, packets } of arrivals(id, target, from, to)) {
      if (packet.sourcePort === null) continue;
      const protocol = packet.protocol === 6 ? 'tcp' : 'udp';
      const key = `${protocol} ${packet.sourcePort}`;
      const entry = ports.get(key) ?? { protocol, port: packet.sourcePort, ...nothing() };
      add(entry, packets, packet);
      ports.set(key, entry);
    }
  }
  return [...ports.values()].map((entry) => ({ ...entry, ...whole(entry) }));
}
