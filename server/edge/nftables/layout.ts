import {
  COUNTED,
  COUNTS_TABLE,
  DROPPED_SET,
  digest,
  dispatchName,
  FAMILIES,
  type Family,
  familyOfTable,
  PROXY_TABLE,
  proxiedName,
  RULES_TABLE,
  setName,
} from './names.ts';
import { MAX_TARGETS } from './requests.ts';

// What is there before any target: two tables, and one more for the SYN proxy, their sets and the chains that every packet of a device goes through.
//   −510 counts what comes in, −500 drops, −400 counts what passed. So what came in was passed or dropped, to the packet.

export const PRIORITY = { in: -510, rules: -500, guard: -450, passed: -400 };
const ADDRESS = { 4: { type: 'ipv4_addr', field: 'ip daddr' }, 6: { type: 'ipv6_addr', field: 'ip6 daddr' } };
/** By its place in IPv4's header: whose version that is, nft would ask again each time that the field is named. */
const FRAGMENT = { 4: '@nh,48,16 & 0x3fff != 0', 6: 'exthdr frag exists' };

/** What packets are that are no fragments. */
export const IS_WHOLE = { 4: 'ip frag-off & 0x3fff == 0', 6: 'exthdr frag missing' };

/** Names of devices, as the kernel has them, that can stand in a batch. */
export const DEVICE_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$';

/** What there is to be before any target. */
export interface Layout {
  devices: readonly string[];
  /** Whether SYN can be answered in the place of targets. */
  synProxy: boolean;
}

/** The header of a chain that the packets of all these devices enter. */
export function ingress(devices: readonly string[], priority: number): string {
  const names = devices.map((name) => `"${name}"`).join(', ');
  return `type filter hook ingress devices = { ${names} } priority ${priority};`;
}

/** How a packet's destination is looked up. */
export const destination = (family: Family) => ADDRESS[family];

/** Rules of the chains that belong to no target, by chain. */
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

/** SYN that is answered here does not reach its target: it is not counted as passed. */
const answered = (family: Family, field: string) =>
  `${field} @${proxiedName(family)} ${IS_WHOLE[family]} meta l4proto 6 tcp flags & 0x12 == 0x2 return`;

/** Of Ethernet; the window's scale is that of Linux. What servers behind the edge offer themselves is not known. */
const SYN_OPTIONS = { 4: 'mss 1460', 6: 'mss 1440' };

/**
 * SYN is answered with a cookie and no memory; a client that sends it back gets a connection, which the kernel then opens
 * to the target. As these rules are there always, connections are known when the first target is proxied, and go on when
 * the last one is not any more.
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
 * A packet is counted in the first class that it is of, UDP before TCP, as most of the largest floods are of it; what is of
 * none is the rest of what came in.
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
  // The kernel finds an address in half the time where a set cannot grow.
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

/** Comments of the rules of each chain that belongs to no target, as they are to be read back. */
export function baseStructure(layout: Layout): Map<string, string[]> {
  const tables = Object.entries(chains(layout));
  return new Map(
    tables.flatMap(([table, all]) =>
      Object.entries(all).map(([name, { rules }]): [string, string[]] => [
        `${table} ${name}`,
        rules.map(digest),
      ]),
    ),
  );
}

/** Stands for all of the layout: tables that another version, or other devices, made are rebuilt. */
export function layoutMark({ devices, synProxy }: Layout): string {
  const layout = { devices: [...devices].sort(), synProxy };
  return `layout-${digest(JSON.stringify([sets(layout), chains(layout)]))}`;
}

/** The tables that there are with such a layout. */
export const tablesOf = ({ synProxy }: Layout) => [
  COUNTS_TABLE,
  RULES_TABLE,
  ...(synProxy ? [PROXY_TABLE] : []),
];

/** Where there is a set of the addresses that are proxied. */
export const PROXIED_IN = [`netdev ${COUNTS_TABLE}`, `inet ${PROXY_TABLE}`];

/** The start of an epoch's name: a chain without rules, so that it lives exactly as long as the counters. */
export const EPOCH_PREFIX = 'epoch-';

/** The batch that rebuilds both tables, empty. What is in front of it and behind it is one step with it. */
export function baseBatch(layout: Layout, epoch: string): string[] {
  const mark = layoutMark(layout);
  const tables = tablesOf(layout);
  const all = Object.entries(chains(layout)).flatMap(([table, found]) =>
    Object.entries(found).map(([name, chain]) => ({
      at: `${familyOfTable(table)} ${table} ${name}`,
      ...chain,
    })),
  );
  return [
    // The proxy's goes where it is not wanted any more.
    ...[COUNTS_TABLE, RULES_TABLE, PROXY_TABLE].flatMap((table) => [
      `add table ${familyOfTable(table)} ${table}`,
      `delete table ${familyOfTable(table)} ${table}`,
    ]),
    ...tables.flatMap((table) => [
      `add table ${familyOfTable(table)} ${table}`,
      `add chain ${familyOfTable(table)} ${table} ${mark}`,
    ]),
    `add chain netdev ${COUNTS_TABLE} ${EPOCH_PREFIX}${epoch}`,
    ...sets(layout),
    ...all.map(({ at, hook }) => `add chain ${at}${hook ? ` { ${hook} }` : ''}`),
    ...all.flatMap(({ at, rules }) =>
      rules.map((rule) => `add rule ${at} ${rule} comment "${digest(rule)}"`),
    ),
  ];
}
