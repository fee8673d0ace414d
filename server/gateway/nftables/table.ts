import type { PortForwardEntry } from '../../compute/network-policy.ts';
import { digest, elementsOf, listTable, marked, structureOf } from '../../platform/nftables/listing.ts';
import { type PublicPorts, protocolsOf } from '../../platform/public-ports.ts';

/** The table with everything the gateway creates. */
export const TABLE = 'ip vauban-gateway';

/** Ports that a gateway may forward, and the networks they may lead to. */
export interface Layout {
  publicPorts: readonly PublicPorts[];
  /** IPv4 networks. */
  guestPrefixes: readonly string[];
}

/** The destination of each forwarded port: "192.0.2.10 . tcp . 20022" to "100.64.0.2 . 22". */
export type Forwards = ReadonlyMap<string, string>;

export const keyOf = (protocol: string, publicIp: string, port: number) =>
  `${publicIp} . ${protocol} . ${port}`;
export const targetOf = (internalIp: string, port: number) => `${internalIp} . ${port}`;

/** Returns the map's elements for these forwards. */
export function forwardsOf(entries: readonly PortForwardEntry[]): Forwards {
  return new Map(
    entries.flatMap((entry) =>
      protocolsOf(entry).map((protocol): [string, string] => [
        keyOf(protocol, entry.publicIp, entry.externalPort),
        targetOf(entry.internalIp, entry.internalPort),
      ]),
    ),
  );
}

/**
 * Returns the batch that rebuilds the table with exactly these forwards. Connections continue, because the kernel
 * tracks them separately.
 */
export function rebuildBatch(layout: Layout, forwards: Forwards): string[] {
  return [`add table ${TABLE}`, `delete table ${TABLE}`, ...tableLines(layout), ...additions(forwards)];
}

/** Returns the batch that changes the held forwards into the wanted ones; empty if they are equal. */
export function changeBatch(held: Forwards, wanted: Forwards): string[] {
  const gone = [...held].filter(([key, target]) => wanted.get(key) !== target);
  const fresh = [...wanted].filter(([key, target]) => held.get(key) !== target);
  return [
    ...gone.map(([key]) => `delete element ${TABLE} forwards { ${key} }`),
    ...additions(new Map(fresh)),
  ];
}

function additions(forwards: Forwards): string[] {
  return [...forwards].map(([key, target]) => `add element ${TABLE} forwards { ${key} : ${target} }`);
}

interface Chain {
  /** For a base chain. If absent, only other chains go to it. */
  hook?: string;
  rules: string[];
}

function chainsOf({ publicPorts, guestPrefixes }: Layout): Record<string, Chain> {
  const guests = `{ ${guestPrefixes.join(', ')} }`;
  return {
    refused: { rules: ['meta l4proto tcp reject with tcp reset', 'reject'] },
    arriving: {
      hook: 'type nat hook prerouting priority dstnat; policy accept;',
      rules: ['dnat to ip daddr . meta l4proto . th dport map @forwards'],
    },
    // Traffic to a port that is not forwarded does not reach this host itself either. Refusing it also leaves no
    // connection behind: a later forward would have to wait until that connection ends, and a UDP client may never
    // pause long enough.
    to_host: {
      hook: 'type filter hook input priority filter; policy accept;',
      rules: [
        'ct state established,related accept',
        ...publicPorts.map(
          ({ address, ports }) =>
            `ip daddr ${address} meta l4proto { tcp, udp } th dport ${ports} goto refused`,
        ),
      ],
    },
    // Without this, a guest would reply to another guest directly, bypassing this gateway, and the other guest would
    // not recognise the sender.
    leaving: {
      hook: 'type nat hook postrouting priority srcnat; policy accept;',
      rules: publicPorts.flatMap(({ address, ports }) =>
        ['tcp', 'udp'].map(
          (protocol) =>
            `ip saddr ${guests} ct status dnat ct original ip daddr ${address} ` +
            `ct protocol ${protocol} ct original proto-dst ${ports} masquerade`,
        ),
      ),
    },
  };
}

/** Returns the name of an empty chain that stands for the whole layout, so that one of another version is noticed. */
const markOf = (chains: Record<string, Chain>) => `layout-${digest(JSON.stringify(chains))}`;

function tableLines(layout: Layout): string[] {
  const chains = chainsOf(layout);
  return [
    `add table ${TABLE}`,
    `add chain ${TABLE} ${markOf(chains)}`,
    `add map ${TABLE} forwards { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }`,
    ...Object.entries(chains).flatMap(([name, { hook, rules }]) => [
      `add chain ${TABLE} ${name}${hook ? ` { ${hook} }` : ''}`,
      ...rules.map((rule) => `add rule ${TABLE} ${name} ${marked(rule)}`),
    ]),
  ];
}

type Concat<T extends unknown[]> = { concat: T };
type Element = [
  Partial<Concat<[publicIp: string, protocol: string, port: number]>>,
  Partial<Concat<[ip: string, port: number]>>,
];

/** Reads the forwards in the table; undefined unless it exists and is as this version creates it for this layout. */
export async function readForwards(layout: Layout): Promise<Forwards | undefined> {
  const items = await listTable(TABLE);
  if (!items) return undefined;
  const chains = chainsOf(layout);
  const wanted = new Map([
    [`${TABLE} ${markOf(chains)}`, ''],
    ...Object.entries(chains).map(
      ([name, { rules }]) => [`${TABLE} ${name}`, rules.map(digest).join()] as const,
    ),
  ]);
  const found = structureOf(items);
  if (found.size !== wanted.size || [...found].some(([name, rules]) => wanted.get(name) !== rules.join()))
    return undefined;
  const forwards = new Map<string, string>();
  for (const [{ concat: key }, { concat: target }] of elementsOf<Element>(items, 'forwards')) {
    // An element with a comment or a timeout is another process's, and has another form.
    if (!key || !target) return undefined;
    forwards.set(keyOf(key[1], key[0], key[2]), targetOf(...target));
  }
  return forwards;
}
