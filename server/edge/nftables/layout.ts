import {
  blackholeName,
  COUNTED,
  COUNTS_TABLE,
  DROPPED_SET,
  digest,
  dispatchName,
  FAMILIES,
  type Family,
  RULES_TABLE,
  setName,
} from './names.ts';

// What is there before any target: two tables, their sets and the chains that every packet of a device goes through.
//   −510 counts what comes in, −500 drops, −400 counts what passed. So what came in was passed or dropped, to the packet.

const PRIORITY = { in: -510, rules: -500, passed: -400 };
const ADDRESS = { 4: { type: 'ipv4_addr', field: 'ip daddr' }, 6: { type: 'ipv6_addr', field: 'ip6 daddr' } };
const FRAGMENT = { 4: 'ip frag-off & 0x3fff != 0', 6: 'exthdr frag exists' };

/** Names of devices, as the kernel has them, that can stand in a batch. */
export const DEVICE_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$';

/** The header of a chain that the packets of all these devices enter. */
export function ingress(devices: readonly string[], priority: number): string {
  const names = devices.map((name) => `"${name}"`).join(', ');
  return `type filter hook ingress devices = { ${names} } priority ${priority};`;
}

/** How a packet's destination is looked up. */
export const destination = (family: Family) => ADDRESS[family];

/** Rules of the chains that belong to no target, by chain. */
function chains(
  devices: readonly string[],
): Record<string, Record<string, { hook?: string; rules: string[] }>> {
  const both = (rule: (family: Family, field: string) => string) =>
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
        rules: both((family, field) => `${field} @${setName('passed', family)}`),
      },
    },
    [RULES_TABLE]: {
      ingress: {
        hook: ingress(devices, PRIORITY.rules),
        rules: [
          ...both((family, field) => `${field} @${blackholeName(family)} drop`),
          ...both((family, field) => `${field} vmap @${dispatchName(family)}`),
        ],
      },
    },
  };
}

/** A packet is counted in the first class that it is of; what is of none is the rest of what came in. */
function classRules(family: Family): string[] {
  const { field } = ADDRESS[family];
  const one = (condition: string, counted: 'fragment' | 'syn' | 'tcp' | 'udp' | 'icmp') =>
    `${condition} ${field} @${setName(counted, family)} return`;
  return [
    one(FRAGMENT[family], 'fragment'),
    one('tcp flags & 0x12 == 0x2', 'syn'),
    one('meta l4proto 6', 'tcp'),
    one('meta l4proto 17', 'udp'),
    one('meta l4proto { 1, 58 }', 'icmp'),
  ];
}

function sets(): string[] {
  const ofFamilies = FAMILIES.flatMap((family) => {
    const { type } = ADDRESS[family];
    return [
      ...COUNTED.map(
        (name) => `add set netdev ${COUNTS_TABLE} ${setName(name, family)} { type ${type}; counter; }`,
      ),
      `add set netdev ${RULES_TABLE} ${blackholeName(family)} { type ${type}; }`,
      `add map netdev ${RULES_TABLE} ${dispatchName(family)} { type ${type} : verdict; }`,
    ];
  });
  return [...ofFamilies, `add set netdev ${RULES_TABLE} ${DROPPED_SET} { type mark; counter; }`];
}

/** Comments of the rules of each chain that belongs to no target, as they are to be read back. */
export function baseStructure(): Map<string, string[]> {
  const tables = Object.entries(chains(['any']));
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
export function layoutMark(devices: readonly string[]): string {
  return `layout-${digest(JSON.stringify([sets(), chains([...devices].sort())]))}`;
}

/** The start of an epoch's name: a chain without rules, so that it lives exactly as long as the counters. */
export const EPOCH_PREFIX = 'epoch-';

/** The batch that rebuilds both tables, empty. What is in front of it and behind it is one step with it. */
export function baseBatch(devices: readonly string[], epoch: string): string[] {
  const mark = layoutMark(devices);
  const tables = [COUNTS_TABLE, RULES_TABLE];
  const all = Object.entries(chains(devices)).flatMap(([table, found]) =>
    Object.entries(found).map(([name, chain]) => ({ at: `netdev ${table} ${name}`, ...chain })),
  );
  return [
    ...tables.flatMap((table) => [`add table netdev ${table}`, `delete table netdev ${table}`]),
    ...tables.flatMap((table) => [`add table netdev ${table}`, `add chain netdev ${table} ${mark}`]),
    `add chain netdev ${COUNTS_TABLE} ${EPOCH_PREFIX}${epoch}`,
    ...sets(),
    ...all.map(({ at, hook }) => `add chain ${at}${hook ? ` { ${hook} }` : ''}`),
    ...all.flatMap(({ at, rules }) =>
      rules.map((rule) => `add rule ${at} ${rule} comment "${digest(rule)}"`),
    ),
  ];
}
