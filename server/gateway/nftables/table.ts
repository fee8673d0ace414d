import type { PortForwardEntry } from '../../compute/network-policy.ts';
import { type PublicPorts, protocolsOf } from '../../platform/helper/forwards.ts';

/** All that the gateway makes is in this table. */
export const TABLE = 'ip vauban-gateway';

/** What a gateway may forward, and to whom. */
export interface Layout {
  publicPorts: readonly PublicPorts[];
  /** IPv4 networks. */
  guestPrefixes: readonly string[];
}

/** Where each forwarded port leads: "192.0.2.10 . tcp . 20022" to "100.64.0.2 . 22". */
export type Forwards = ReadonlyMap<string, string>;

export const keyOf = (protocol: string, publicIp: string, port: number) =>
  `${publicIp} . ${protocol} . ${port}`;
export const targetOf = (internalIp: string, port: number) => `${internalIp} . ${port}`;

/** The elements of the map for these forwards. */
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

/** The batch that makes the table anew with these forwards and no others. Connections go on: the kernel keeps them itself. */
export function rebuildBatch(layout: Layout, forwards: Forwards): string[] {
  return [`add table ${TABLE}`, `delete table ${TABLE}`, ...tableLines(layout), ...additions(forwards)];
}

/** The batch that leads from what is held to what is wanted; empty where that is the same. */
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
    // What is not forwarded does not reach this host itself either. As it is refused it also leaves no connection behind: a later
    // forward would have to wait for the end of that, and a client of UDP may never pause for long enough.
    `add chain ${TABLE} to_host { type filter hook input priority filter; policy accept; }`,
    `add rule ${TABLE} to_host ct state established,related accept`,
    ...publicPorts.map(
      ({ address, ports }) =>
        `add rule ${TABLE} to_host ip daddr ${address} meta l4proto { tcp, udp } th dport ${ports} goto refused`,
    ),
    // A guest would answer another one directly, past this gateway, and that one would not know who answers.
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
