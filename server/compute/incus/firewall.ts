import { type FirewallEntry, type GuestAddress, type NetworkPolicy, PolicyRefusedError } from '../driver.ts';
import { type Interval, spell, sweep } from './intervals.ts';

/** A rule of an Incus ACL. Of all that match a packet a `drop` wins over an `allow`; what none matches is dropped. */
export interface AclRule {
  action: 'allow' | 'drop';
  state: 'enabled';
  source?: string;
  destination?: string;
  protocol?: 'tcp' | 'udp' | 'icmp4' | 'icmp6';
  destination_port?: string;
}

export interface Acl {
  ingress: AclRule[];
  egress: AclRule[];
}

/** What passes between a guest and an address: ports of TCP and UDP, ICMP of the address's family, and all else. */
interface Verdict {
  tcp: Interval[];
  udp: Interval[];
  icmp: boolean;
  other: boolean;
}

type Protocol = keyof Verdict;
type Family = 4 | 6;

/** Of one guest; each member applies all of them anew with each change. */
const MAX_RULES = 400;
/** Addresses and ranges in all rules of a guest together. */
const MAX_RANGES = 4_000;
const PORTS: Interval = [0n, 65_535n];
const NO_MAIL: FirewallEntry = {
  direction: 'out',
  action: 'drop',
  protocol: 'tcp',
  ports: '25',
  cidrs: ['0.0.0.0/0', '::/0'],
};

/**
 * What passes whatever the rules of a guest say: the service from its own networks, which looks whether the guest is ready, and
 * logs in; and what hands out the guest's addresses.
 */
export function alwaysPassing(
  service: readonly string[],
  addresses: readonly GuestAddress[],
): FirewallEntry[] {
  const accept = { direction: 'in', action: 'accept' } as const;
  const gateways = addresses.filter(({ family }) => family === 4).map(({ gateway }) => `${gateway}/32`);
  const entries: FirewallEntry[] = [
    { ...accept, protocol: 'tcp', ports: null, cidrs: [...service] },
    { ...accept, protocol: 'udp', ports: '68', cidrs: gateways },
  ];
  if (addresses.every(({ family }) => family === 4)) return entries;
  const neighbours = ['fe80::/10'];
  return [
    ...entries,
    { ...accept, protocol: 'udp', ports: '546', cidrs: neighbours },
    { ...accept, protocol: 'icmpv6', ports: null, cidrs: neighbours },
  ];
}

/** What a rule of Incus cannot name. */
export const REFUSED_PROTOCOLS: readonly FirewallEntry['protocol'][] = ['esp', 'gre'];

/**
 * The rules of a policy, of which the first match decides, as an ACL, which knows no order. What they let pass is exactly the
 * same: all addresses are divided into those that no rule tells apart, and each part is given what the rules come to for it.
 * What `always` accepts comes first. Throws {@link PolicyRefusedError} for what Incus cannot express, or where that takes too many rules.
 */
export function compileFirewall(policy: NetworkPolicy, always: readonly FirewallEntry[] = []): Acl {
  const { firewall, defaultIn, defaultOut, smtpOpen } = policy;
  const refused = firewall.find(({ protocol }) => REFUSED_PROTOCOLS.includes(protocol));
  if (refused) throw new PolicyRefusedError(`rules of ${refused.protocol} cannot be told apart from others`);
  const incoming = firewall.filter(({ direction }) => direction === 'in');
  const outgoing = firewall.filter(({ direction }) => direction === 'out');
  const acl = {
    ingress: compile([...always, ...incoming], defaultIn === 'accept', 'source'),
    egress: compile(smtpOpen ? outgoing : [NO_MAIL, ...outgoing], defaultOut === 'accept', 'destination'),
  };
  const rules = [...acl.ingress, ...acl.egress];
  const ranges = rules.reduce((sum, rule) => sum + (rule.source ?? rule.destination)!.split(',').length, 0);
  if (rules.length > MAX_RULES || ranges > MAX_RANGES)
    throw new PolicyRefusedError(
      `these rules come to ${rules.length} with ${ranges} ranges of addresses, of which ${MAX_RULES} and ${MAX_RANGES} are possible`,
    );
  return acl;
}

function compile(entries: FirewallEntry[], otherwise: boolean, peer: 'source' | 'destination'): AclRule[] {
  return ([4, 6] as const).flatMap((family) => {
    /** Ranges of addresses by the rule that they are in, without them. */
    const ranges = new Map<string, Interval[]>();
    for (const [range, matching] of sweep(
      entries.map(({ cidrs }) => cidrs),
      family,
    )) {
      const verdict = verdictOf(
        matching.map((index) => entries[index]!),
        family,
        otherwise,
      );
      for (const rule of rulesOf(verdict, family)) {
        const key = JSON.stringify(rule);
        if (!ranges.has(key)) ranges.set(key, []);
        append(ranges.get(key)!, range);
      }
    }
    return [...ranges].map(([rule, of]) => ({
      ...JSON.parse(rule),
      [peer]: of.map((range) => spell(range, family)).join(','),
    }));
  });
}

/** What the first matching of these rules says, by protocol and port. */
function verdictOf(entries: FirewallEntry[], family: Family, otherwise: boolean): Verdict {
  const ports = (protocol: Protocol) =>
    passing(
      entries.filter((entry) => concerns(entry, protocol, family)),
      otherwise,
    );
  return {
    tcp: ports('tcp'),
    udp: ports('udp'),
    icmp: ports('icmp').length > 0,
    other: ports('other').length > 0,
  };
}

function concerns({ protocol }: FirewallEntry, what: Protocol, family: Family): boolean {
  if (protocol === 'any') return true;
  if (what === 'icmp') return protocol === (family === 4 ? 'icmp' : 'icmpv6');
  return protocol === what;
}

/** Ports that pass, of rules that all concern one protocol. */
function passing(entries: FirewallEntry[], otherwise: boolean): Interval[] {
  const accepted: Interval[] = [];
  let undecided: Interval[] = [PORTS];
  for (const { action, ports } of entries) {
    const [low, high] = ports === null ? PORTS : portsOf(ports);
    const hit = undecided.flatMap(([from, to]): Interval[] => {
      const [a, b] = [from > low ? from : low, to < high ? to : high];
      return a <= b ? [[a, b]] : [];
    });
    if (action === 'accept') accepted.push(...hit);
    undecided = undecided.flatMap((range) => without(range, [low, high]));
  }
  if (otherwise) accepted.push(...undecided);
  accepted.sort(([a], [b]) => (a < b ? -1 : 1));
  const all: Interval[] = [];
  for (const range of accepted) append(all, range);
  return all;
}

function portsOf(text: string): Interval {
  const [from, to = from] = text.split('-');
  return [BigInt(from!), BigInt(to!)];
}

/**
 * Where what is no TCP, UDP or ICMP passes, everything does but what is dropped; elsewhere nothing does but what is allowed.
 * Incus has no words for "all other protocols".
 */
function rulesOf({ tcp, udp, icmp, other }: Verdict, family: Family): AclRule[] {
  const state = 'enabled' as const;
  const action = other ? 'drop' : 'allow';
  const rules: AclRule[] = other ? [{ action: 'allow', state }] : [];
  for (const [protocol, ports] of [
    ['tcp', tcp],
    ['udp', udp],
  ] as const) {
    const named = other
      ? ports.reduce<Interval[]>((left, range) => left.flatMap((one) => without(one, range)), [PORTS])
      : ports;
    if (named.length === 0) continue;
    const isAll = named[0]![0] === PORTS[0] && named[0]![1] === PORTS[1];
    rules.push({ action, state, protocol, ...(!isAll && { destination_port: spellPorts(named) }) });
  }
  if (icmp !== other) rules.push({ action, state, protocol: family === 4 ? 'icmp4' : 'icmp6' });
  return rules;
}

const spellPorts = (ports: Interval[]) =>
  ports.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');

/** Puts an interval behind others that it is disjoint from. */
function append(all: Interval[], [from, to]: Interval): void {
  const last = all.at(-1);
  if (last && last[1] + 1n === from) all[all.length - 1] = [last[0], to];
  else all.push([from, to]);
}

function without([from, to]: Interval, [low, high]: Interval): Interval[] {
  if (high < from || low > to) return [[from, to]];
  const left: Interval[] = from < low ? [[from, low - 1n]] : [];
  return high < to ? [...left, [high + 1n, to]] : left;
}
