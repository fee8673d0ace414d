import {
  type AddressSet,
  EVERYWHERE,
  intersection,
  isEmpty,
  isSame,
  minus,
  NOWHERE,
  only,
  setOf,
  union,
} from './addresses.ts';

export type Direction = 'in' | 'out';
export type Verdict = 'accept' | 'drop';

/** The fields of a rule that decide about packets. The rule may be a draft. */
export interface PolicyRule {
  id: string;
  direction: Direction;
  action: Verdict;
  protocol: 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'esp' | 'gre' | 'any';
  ports: string | null;
  cidrs: readonly string[];
  priority: number;
  enabled: boolean;
  status: 'pending' | 'active' | 'removing' | 'error';
  created_at: string;
}

/** The protocols that a rule can name, and `other` for all the rest, which only `any` matches. */
export const TRAFFIC = ['tcp', 'udp', 'icmp', 'icmpv6', 'esp', 'gre', 'other'] as const;
export type Traffic = (typeof TRAFFIC)[number];

/** A range of ports, both ends included; null for traffic without ports. */
export type Ports = { from: number; to: number } | null;

/** The peers that the machine can exchange one kind of traffic with on some ports. */
export interface Opening {
  traffic: Traffic;
  ports: Ports;
  peers: AddressSet;
}

export interface EffectivePolicy {
  openings: Opening[];
  /** The ids of rules in force that never decide, because earlier rules match all of their packets. */
  idle: Set<string>;
}

export interface PolicyChange {
  traffic: Traffic;
  ports: Ports;
  opened: AddressSet;
  closed: AddressSet;
}

const LAST_PORT = 65_535;
const HAS_PORTS: ReadonlySet<Traffic> = new Set<Traffic>(['tcp', 'udp']);

/** Returns the enabled rules of a direction in the order in which the service evaluates them. */
export function inOrder<T extends PolicyRule>(rules: readonly T[], direction: Direction): T[] {
  return rules
    .filter((rule) => rule.direction === direction && rule.enabled && rule.status !== 'removing')
    .sort(
      (a, b) => a.priority - b.priority || a.created_at.localeCompare(b.created_at) || (a.id < b.id ? -1 : 1),
    );
}

/**
 * Evaluates the rules: the first one that matches a packet decides, and the default decides about the rest. Replies on
 * established connections always pass, so they are not included.
 */
export function effectivePolicy(
  rules: readonly PolicyRule[],
  direction: Direction,
  otherwise: Verdict,
): EffectivePolicy {
  const ordered = inOrder(rules, direction).flatMap((rule) => {
    const peers = setOf(rule.cidrs);
    return peers ? [{ ...rule, peers, range: parsePorts(rule.ports) }] : [];
  });
  const idle = new Set(ordered.map((rule) => rule.id));
  const openings: Opening[] = [];
  for (const traffic of TRAFFIC) {
    const relevant = ordered.filter(({ protocol }) => protocol === 'any' || protocol === traffic);
    for (const ports of slices(traffic, relevant)) {
      let left = whole(traffic);
      let accepted = NOWHERE;
      for (const rule of relevant) {
        if (ports && rule.range && !(rule.range.from <= ports.from && ports.to <= rule.range.to)) continue;
        const taken = intersection(left, rule.peers);
        if (isEmpty(taken)) continue;
        idle.delete(rule.id);
        if (rule.action === 'accept') accepted = union(accepted, taken);
        left = minus(left, taken);
      }
      if (otherwise === 'accept') accepted = union(accepted, left);
      add(openings, { traffic, ports, peers: accepted });
    }
  }
  return { openings: openings.filter(({ peers }) => !isEmpty(peers)), idle };
}

/** Returns what a change of the policy opens and closes. */
export function changesBetween(before: readonly Opening[], after: readonly Opening[]): PolicyChange[] {
  const changes: PolicyChange[] = [];
  for (const traffic of TRAFFIC) {
    const old = before.filter((opening) => opening.traffic === traffic);
    const now = after.filter((opening) => opening.traffic === traffic);
    const cuts = slices(
      traffic,
      [...old, ...now].map(({ ports }) => ({ range: ports ?? undefined })),
    );
    for (const ports of cuts) {
      const [was, is] = [peersOn(old, ports), peersOn(now, ports)];
      const [opened, closed] = [minus(is, was), minus(was, is)];
      if (isEmpty(opened) && isEmpty(closed)) continue;
      const last = changes.at(-1);
      const joins = last?.traffic === traffic && touches(last.ports, ports);
      if (last && joins && isSame(last.opened, opened) && isSame(last.closed, closed))
        last.ports = { from: last.ports!.from, to: ports!.to };
      else changes.push({ traffic, ports, opened, closed });
    }
  }
  return changes;
}

/** Returns all addresses that can use a kind of traffic: ICMP and ICMPv6 exist in one family only. */
export function whole(traffic: Traffic): AddressSet {
  if (traffic === 'icmp') return only(4, EVERYWHERE);
  return traffic === 'icmpv6' ? only(6, EVERYWHERE) : EVERYWHERE;
}

/** Parses "443" or "1024-5000". Returns undefined for all ports and for invalid text. */
export function parsePorts(text: string | null): { from: number; to: number } | undefined {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text ?? '');
  return match ? { from: Number(match[1]), to: Number(match[2] ?? match[1]) } : undefined;
}

/** Splits the ports at every rule's bounds, so that the same rules apply to all ports of a slice. */
function slices(traffic: Traffic, rules: readonly { range: Ports | undefined }[]): Ports[] {
  if (!HAS_PORTS.has(traffic)) return [null];
  const starts = new Set([1]);
  for (const { range } of rules) {
    if (!range) continue;
    starts.add(Math.max(1, range.from));
    if (range.to < LAST_PORT) starts.add(range.to + 1);
  }
  const sorted = [...starts].sort((a, b) => a - b);
  return sorted.map((from, i) => ({ from, to: (sorted[i + 1] ?? LAST_PORT + 1) - 1 }));
}

function add(openings: Opening[], opening: Opening): void {
  const last = openings.at(-1);
  if (
    last?.traffic === opening.traffic &&
    touches(last.ports, opening.ports) &&
    isSame(last.peers, opening.peers)
  )
    last.ports = { from: last.ports!.from, to: opening.ports!.to };
  else openings.push(opening);
}

const touches = (a: Ports, b: Ports) => a !== null && b !== null && a.to + 1 === b.from;

function peersOn(openings: readonly Opening[], ports: Ports): AddressSet {
  const opening = openings.find(
    ({ ports: own }) => own === null || (ports !== null && own.from <= ports.from && ports.to <= own.to),
  );
  return opening?.peers ?? NOWHERE;
}
