import { MAX_TARGETS } from '../../helpers/edge/operations.ts';
import { digest, marked } from '../../platform/nftables/listing.ts';
import {
  COUNTED,
  COUNTS_TABLE,
  DROPPED_SET,
  dispatchName,
  FAMILIES,
  type Family,
  PROXY_TABLE,
  proxiedName,
  RULES_TABLE,
  setName,
  withFamily,
} from './names.ts';

// The structure that exists before any target: two tables, plus one for the SYN proxy, with their sets and the chains
// that every packet of a device passes through.
//   −510 counts incoming packets, −500 drops, −400 counts passed packets. So every incoming packet either passed or
//   was dropped.

export const PRIORITY = { in: -510, rules: -500, guard: -450, passed: -400 };
const ADDRESS = { 4: { type: 'ipv4_addr', field: 'ip daddr' }, 6: { type: 'ipv6_addr', field: 'ip6 daddr' } };
/** IPv4 uses a raw header offset: for a named field, nft would check the IP version again each time. */
const FRAGMENT = { 4: '@nh,48,16 & 0x3fff != 0', 6: 'exthdr frag exists' };

/** Conditions for packets that are not fragments. */
export const IS_WHOLE = { 4: 'ip frag-off & 0x3fff == 0', 6: 'exthdr frag missing' };

/** Parameters of the structure that exists before any target. */
export interface Layout {
  devices: readonly string[];
  /** True if SYN can be answered on behalf of targets. */
  synProxy: boolean;
}

/** Returns the header of a base chain for the packets of all these devices. */
export function ingress(devices: readonly string[], priority: number): string {
  const names = devices.map((name) => `"${name}"`).join(', ');
  return `type filter hook ingress devices = { ${names} } priority ${priority};`;
}

/** The type and field for looking up a packet's destination. */
export const destination = (family: Family) => ADDRESS[family];

/** Returns the rules of the chains that belong to no target, by chain. */
function chains({
  devices,
  synProxy,
}: Layout): Record<string, Record<string, { hook?: string; rules: string[] }>> {
  const both = <Made>(rule: (family: Family, field: string) => Made) =>
    FAMILIES.map((family) => rule(family, ADDRESS[family].field));
  return {
    [COUNTS_TABLE]: {
      classes4: { rules: classRules(4) },
      classes6: { rules: classRules(6) },
      ingress: {
        hook: ingress(devices, PRIORITY.in),
        rules: both((family, field) => `${field} @${setName('in', family)} goto classes${family}`),
      },
      passed: {
        hook: ingress(devices, PRIORITY.passed),
        rules: [
          ...(synProxy ? both(answered) : []),
          ...both((family, field) => `${field} @${setName('passed', family)}`),
        ],
      },
    },
    [RULES_TABLE]: {
      ingress: {
        hook: ingress(devices, PRIORITY.rules),
        rules: both((family, field) => `${field} vmap @${dispatchName(family)}`),
      },
    },
    ...(synProxy ? { [PROXY_TABLE]: proxyChains(devices) } : {}),
  };
}

/** SYN that is answered here does not reach its target and is not counted as passed. */
const answered = (family: Family, field: string) =>
  `${field} @${proxiedName(family)} ${IS_WHOLE[family]} meta l4proto 6 tcp flags & 0x12 == 0x2 return`;

/**
 * For Ethernet; the window scale is Linux's default. The options that servers behind the edge would offer are not
 * known.
 */
const SYN_OPTIONS = { 4: 'mss 1460', 6: 'mss 1440' };

/**
 * The kernel answers SYN with a cookie and stores nothing. Once a client returns the cookie, the kernel opens the
 * connection to the target. These rules are always present, so that existing connections are already tracked when the
 * first target becomes proxied, and continue when the last one stops being proxied.
 */
function proxyChains(devices: readonly string[]): Record<string, { hook: string; rules: string[] }> {
  const from = `iifname { ${devices.map((name) => `"${name}"`).join(', ')} }`;
  const tcp = (family: Family) => `${from} ${ADDRESS[family].field} @${proxiedName(family)} meta l4proto 6`;
  return {
    untracked: {
      hook: 'type filter hook prerouting priority -300;',
      rules: FAMILIES.map((family) => `${tcp(family)} tcp flags & 0x17 == 0x2 notrack`),
    },
    answer: {
      hook: 'type filter hook forward priority -150;',
      rules: FAMILIES.flatMap((family) => [
        `${tcp(family)} ct state invalid,untracked synproxy ${SYN_OPTIONS[family]} wscale 7 timestamp sack-perm`,
        `${tcp(family)} ct state invalid drop`,
      ]),
    },
  };
}

/**
 * A packet counts in the first class that matches. UDP comes before TCP because most of the largest floods are UDP.
 * Packets that match no class are computed as the remainder of all incoming ones.
 */
function classRules(family: Family): string[] {
  const { field } = ADDRESS[family];
  const one = (condition: string, counted: 'fragment' | 'syn' | 'tcp' | 'udp' | 'icmp') =>
    `${condition} ${field} @${setName(counted, family)} return`;
  return [
    one(FRAGMENT[family], 'fragment'),
    one('meta l4proto 17', 'udp'),
    one('tcp flags & 0x12 == 0x2', 'syn'),
    one('meta l4proto 6', 'tcp'),
    one('meta l4proto { 1, 58 }', 'icmp'),
  ];
}

function sets({ synProxy }: Layout): string[] {
  // The kernel finds an address in half the time if the set cannot grow.
  const size = `size ${MAX_TARGETS};`;
  const ofFamilies = FAMILIES.flatMap((family) => {
    const { type } = ADDRESS[family];
    return [
      ...COUNTED.map(
        (name) =>
          `add set netdev ${COUNTS_TABLE} ${setName(name, family)} { type ${type}; ${size} counter; }`,
      ),
      `add map netdev ${RULES_TABLE} ${dispatchName(family)} { type ${type} : verdict; ${size} }`,
      ...(synProxy ? PROXIED_IN : []).map(
        (table) => `add set ${table} ${proxiedName(family)} { type ${type}; ${size} }`,
      ),
    ];
  });
  return [...ofFamilies, `add set netdev ${RULES_TABLE} ${DROPPED_SET} { type mark; counter; }`];
}

/** Returns the expected comments of the rules of each chain that belongs to no target, by "family table chain". */
export function baseStructure(layout: Layout): Map<string, string[]> {
  const tables = Object.entries(chains(layout));
  return new Map(
    tables.flatMap(([table, all]) =>
      Object.entries(all).map(([name, { rules }]): [string, string[]] => [
        `${withFamily(table)} ${name}`,
        rules.map(digest),
      ]),
    ),
  );
}

/** Returns a mark for the whole layout: tables that another version created, or for other devices, are rebuilt. */
export function layoutMark({ devices, synProxy }: Layout): string {
  const layout = { devices: [...devices].sort(), synProxy };
  return `layout-${digest(JSON.stringify([sets(layout), chains(layout)]))}`;
}

export const tablesOf = ({ synProxy }: Layout) => [
  COUNTS_TABLE,
  RULES_TABLE,
  ...(synProxy ? [PROXY_TABLE] : []),
];

/** Tables that have a set of the proxied addresses. */
export const PROXIED_IN = [`netdev ${COUNTS_TABLE}`, `inet ${PROXY_TABLE}`];

/** Prefix of the chain that names the epoch. The chain has no rules, so it lives exactly as long as the counters. */
export const EPOCH_PREFIX = 'epoch-';

/** Returns the batch that rebuilds all tables, empty. Lines added before or after it are applied in the same step. */
export function baseBatch(layout: Layout, epoch: string): string[] {
  const mark = layoutMark(layout);
  const tables = tablesOf(layout);
  const all = Object.entries(chains(layout)).flatMap(([table, found]) =>
    Object.entries(found).map(([name, chain]) => ({
      at: `${withFamily(table)} ${name}`,
      ...chain,
    })),
  );
  return [
    // The proxy table also goes if it is no longer wanted.
    ...[COUNTS_TABLE, RULES_TABLE, PROXY_TABLE].flatMap((table) => [
      `add table ${withFamily(table)}`,
      `delete table ${withFamily(table)}`,
    ]),
    ...tables.flatMap((table) => [
      `add table ${withFamily(table)}`,
      `add chain ${withFamily(table)} ${mark}`,
    ]),
    `add chain netdev ${COUNTS_TABLE} ${EPOCH_PREFIX}${epoch}`,
    ...sets(layout),
    ...all.map(({ at, hook }) => `add chain ${at}${hook ? ` { ${hook} }` : ''}`),
    ...all.flatMap(({ at, rules }) => rules.map((rule) => `add rule ${at} ${marked(rule)}`)),
  ];
}
