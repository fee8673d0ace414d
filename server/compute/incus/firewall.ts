import { type FirewallEntry, type GuestAddress, type NetworkPolicy, PolicyRefusedError } from '../driver.ts';
import { type Interval, spell, sweep } from './intervals.ts';

/**
 * A rule of an Incus ACL. If several rules match a packet, `drop` wins over `allow`; a packet that no rule matches is
 * dropped.
 */
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

/**
 * The traffic allowed between a guest and an address: TCP and UDP ports, ICMP of the address's family, and all other
 * protocols.
 */
interface Verdict {
  tcp: Interval[];
  udp: Interval[];
  icmp: boolean;
  other: boolean;
}

type Protocol = keyof Verdict;
type Family = 4 | 6;

/** Limit per guest: its member applies all rules again with each change. */
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
 * Returns the traffic that passes regardless of a guest's own rules: from the networks of the service, which checks
 * whether the guest is ready and logs in, and from whatever assigns the guest its addresses.
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

/** Protocols that an Incus rule cannot name. */
export const REFUSED_PROTOCOLS: readonly FirewallEntry['protocol'][] = ['esp', 'gre'];

/**
 * Compiles a policy, where the first matching rule decides, to an ACL, which has no order. Exactly the same traffic
 * passes: the address space is divided into parts that no rule distinguishes, and each part gets the combined verdict
 * of the rules. The rules in `always` come first. Throws {@link PolicyRefusedError} if Incus cannot express the policy
 * or if it needs too many rules.
 */
export function compileFirewall(policy: NetworkPolicy, always: readonly FirewallEntry[] = []): Acl {
  const { firewall, defaultIn, defaultOut, smtpOpen } = policy;
  const refused = firewall.find(({ protocol }) => REFUSED_PROTOCOLS.includes(protocol));
  if (refused)
    throw new PolicyRefusedError(`rules of ${refused.protocol} cannot be distinguished from others`);
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
      `these are ${rules.length} rules with ${ranges} address ranges; at most ${MAX_RULES} and ${MAX_RANGES} are possible`,
    );
  return acl;
}

function compile(entries: FirewallEntry[], otherwise: boolean, peer: 'source' | 'destination'): AclRule[] {
  return ([4, 6] as const).flatMap((family) => {
    /** Address ranges by the rule that applies to them; the key is the rule without its addresses. */
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

/** Returns the verdict of the first matching rule for each protocol and port. */
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

/** Returns the ports that pass. All entries must concern the same protocol. */
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
 * If protocols other than TCP, UDP and ICMP pass, everything is allowed and exceptions are dropped; otherwise only
 * listed traffic is allowed. Incus cannot express "all other protocols".
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

/** Appends an interval, merging it with the last one if they are adjacent. It must come after all others. */
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
