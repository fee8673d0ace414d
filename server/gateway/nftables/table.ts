import type { PortForwardEntry } from '../../compute/network-policy.ts';
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

function tableLines({ publicPorts, guestPrefixes }: Layout): string[] {
  const guests = `{ ${guestPrefixes.join(', ')} }`;
  return [
    `add table ${TABLE}`,
    `add map ${TABLE} forwards { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }`,
    `add chain ${TABLE} refused`,
    `add rule ${TABLE} refused meta l4proto tcp reject with tcp reset`,
    `add rule ${TABLE} refused reject`,
    `add chain ${TABLE} arriving { type nat hook prerouting priority dstnat; policy accept; }`,
    `add rule ${TABLE} arriving dnat to ip daddr . meta l4proto . th dport map @forwards`,
    // Traffic to a port that is not forwarded does not reach this host itself either. Refusing it also leaves no
    // connection behind: a later forward would have to wait until that connection ends, and a UDP client may never
    // pause long enough.
    `add chain ${TABLE} to_host { type filter hook input priority filter; policy accept; }`,
    `add rule ${TABLE} to_host ct state established,related accept`,
    ...publicPorts.map(
      ({ address, ports }) =>
        `add rule ${TABLE} to_host ip daddr ${address} meta l4proto { tcp, udp } th dport ${ports} goto refused`,
    ),
    // Without this, a guest would reply to another guest directly, bypassing this gateway, and the other guest would
    // not recognise the sender.
    `add chain ${TABLE} leaving { type nat hook postrouting priority srcnat; policy accept; }`,
    ...publicPorts.flatMap(({ address, ports }) =>
      ['tcp', 'udp'].map(
        (protocol) =>
          `add rule ${TABLE} leaving ip saddr ${guests} ct status dnat ct original ip daddr ${address} ` +
          `ct protocol ${protocol} ct original proto-dst ${ports} masquerade`,
      ),
    ),
  ];
}
