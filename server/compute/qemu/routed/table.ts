import { TAP_PREFIX } from './names.ts';
import { TRAFFIC_LIMITS, type TrafficLimits } from './traffic-limits.ts';

const GUESTS = `"${TAP_PREFIX}*"`;
/** Addresses that are not routed on the internet. A guest with one reaches the internet through the host's own address. */
const NOT_PUBLIC = '{ 10.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 192.168.0.0/16 }';
/** Clouds use this range for services private to a machine, such as the provider's metadata of this very host. */
const LINK_LOCAL_4 = '169.254.0.0/16';
/** Rate of neighbour discovery from a link-local address. Each one costs the host an entry, so a guest is limited. */
const DISCOVERY_LIMIT = 'limit rate 20/second burst 40 packets';

const SETS = [
  'set inet vauban cards { type ifname . ether_addr; }',
  'set inet vauban cards4 { type ifname . ether_addr . ipv4_addr; }',
  'set inet vauban cards6 { type ifname . ether_addr . ipv6_addr; }',
  'set inet vauban discovery { type ifname; flags dynamic; size 65535; timeout 1m; }',
  // Filled by the packets themselves: how much each guest uses of its limits.
  'set inet vauban connections { type ifname; flags dynamic; size 65535; }',
  'set inet vauban packets { type ifname; flags dynamic; size 65535; timeout 1m; }',
  'set inet vauban hairpin { type ifname . ifname; }',
  'map inet vauban forwards { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }',
  'map inet vauban rules_in { type ifname : verdict; }',
  'map inet vauban rules_out { type ifname : verdict; }',
  'map inet vauban speeds { type ifname : verdict; }',
  'map inet vauban traffic_in { type ifname : counter; }',
  'map inet vauban traffic_out { type ifname : counter; }',
  'map inet vauban refused_connections { type ifname : counter; }',
  'map inet vauban refused_packets { type ifname : counter; }',
  'set arp vauban cards4 { type ifname . ether_addr . ipv4_addr; }',
];

interface Chain {
  /** For a base chain. If absent, only other chains jump to it. */
  hook?: string;
  rules: string[];
}

/**
 * Bits of a packet's mark that tell the gate table the result of this one: the sender is genuine, and the rules let the
 * packet pass. Each is set in one place only, so no other way out of a chain, such as an added rule, can set them.
 */
const PROVEN = '0x10000000';
const PASSED = '0x20000000';
const BOTH = '0x30000000';
const marked = (bits: string) => `meta mark set meta mark or ${bits}`;
const lacks = (bits: string) => `meta mark and ${bits} != ${bits}`;

// The local check lets packets for other hosts pass, whatever a forward says.
const FORWARD = 'fib daddr type local dnat ip to ip daddr . meta l4proto . th dport map @forwards';

function chainsOf(uplink: string, limits: TrafficLimits): Record<string, Chain> {
  return { ...arrivals(limits), ...ways(uplink, limits), ...ends() };
}

/** Packets from guests, before anything else happens to them. */
function arrivals(limits: TrafficLimits): Record<string, Chain> {
  const rate = `limit rate over ${limits.packetsPerSecond}/second burst ${limits.packetsPerSecond} packets`;
  return {
    // Before connection tracking, so that a forged packet costs next to nothing and leaves no trace.
    'inet vauban guard': {
      hook: 'filter hook prerouting priority raw',
      rules: [
        `iifname != ${GUESTS} accept`,
        `update @packets { iifname ${rate} } goto flooding`,
        'iifname . ether saddr != @cards counter name spoofed drop',
        // A DHCP client, which this network does not serve. Not counted as spoofed.
        'ip saddr 0.0.0.0 drop',
        'meta nfproto ipv4 iifname . ether saddr . ip saddr != @cards4 counter name spoofed drop',
        'meta nfproto ipv4 goto proven',
        `ip6 saddr { ::, fe80::/10 } icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } update @discovery { iifname ${DISCOVERY_LIMIT} } goto proven`,
        'ip6 saddr { ::, fe80::/10 } drop',
        'iifname . ether saddr . ip6 saddr != @cards6 counter name spoofed drop',
        'goto proven',
      ],
    },
    'inet vauban flooding': { rules: ['counter name iifname map @refused_packets', 'drop'] },
    'inet vauban proven': { rules: [`${marked(PROVEN)} accept`] },
    'inet vauban passed': { rules: [`${marked(PASSED)} accept`] },
  };
}

/** Packets forwarded by the host: to guests, from guests, and between them. */
function ways(uplink: string, limits: TrafficLimits): Record<string, Chain> {
  const crowd = (card: string) => `add @connections { ${card} ct count over ${limits.connections} }`;
  return {
    'inet vauban dnat_in': { hook: 'nat hook prerouting priority dstnat', rules: [FORWARD] },
    // Forwards also work from the host itself.
    'inet vauban dnat_host': { hook: 'nat hook output priority -100', rules: [FORWARD] },
    'inet vauban leaving': {
      hook: 'nat hook postrouting priority srcnat',
      rules: [
        // Without this, a guest that calls its own forward would see a packet from itself and drop it.
        'ct status dnat iifname . oifname @hairpin masquerade',
        `iifname ${GUESTS} oifname "${uplink}" ip saddr ${NOT_PUBLIC} masquerade`,
      ],
    },
    'inet vauban forwarding': {
      hook: 'filter hook forward priority filter',
      rules: [
        `iifname != ${GUESTS} oifname != ${GUESTS} accept`,
        'ct state vmap { established : goto passed, related : goto passed, invalid : drop }',
        // Guests reach the uplink and other guests, but never the host's other networks.
        `iifname ${GUESTS} oifname != ${GUESTS} oifname != "${uplink}" drop`,
        `iifname ${GUESTS} ip daddr ${LINK_LOCAL_4} drop`,
        `iifname ${GUESTS} ${crowd('iifname')} goto crowded_out`,
        'iifname vmap @rules_out',
        // A guest whose rules are missing or empty.
        `iifname ${GUESTS} drop`,
        'jump inward',
        'drop',
      ],
    },
    // `inward` handles packets from outside and those that their sender's rules have let out.
    'inet vauban crowded_out': { rules: ['counter name iifname map @refused_connections', 'drop'] },
    'inet vauban crowded_in': { rules: ['counter name oifname map @refused_connections', 'drop'] },
    'inet vauban inward': {
      rules: [
        `oifname ${GUESTS} ${crowd('oifname')} goto crowded_in`,
        'oifname vmap @rules_in',
        `oifname ${GUESTS} drop`,
        'goto passed',
      ],
    },
  };
}

/** Packets that have passed the rules, or are for the host itself. */
function ends(): Record<string, Chain> {
  return {
    // After the rules: neither dropped packets nor the host's own packets to a guest count as the guest's traffic.
    'inet vauban accounting': {
      hook: 'filter hook forward priority filter + 10',
      rules: [
        // Packets beyond a guest's bandwidth do not count as its traffic either.
        'iifname vmap @speeds',
        'counter name oifname map @traffic_in',
        'counter name iifname map @traffic_out',
      ],
    },
    'inet vauban to_host': {
      hook: 'filter hook input priority filter',
      rules: [
        `iifname != ${GUESTS} accept`,
        'ct state established,related goto passed',
        'icmp type echo-request goto passed',
        'icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, echo-request } goto passed',
        'drop',
      ],
    },
    'arp vauban guard': {
      hook: 'filter hook input priority filter',
      rules: [
        `iifname ${GUESTS} iifname . arp saddr ether . arp saddr ip != @cards4 counter name spoofed drop`,
        `iifname ${GUESTS} ${marked(PROVEN)}`,
      ],
    },
  };
}

/**
 * Returns the lines of a separate table, after all others, that drops a guest's packets unless the tables above have
 * marked them. So even if those are lost, flushed or overruled, no packet passes that the rules did not see. With
 * `owned`, the table belongs to the process that creates it: no other process can flush it, and it disappears with its
 * owner.
 */
export function gateTable(name: string, owned = false): string[] {
  const gate: Record<string, Chain> = {
    [`inet ${name} forwarding`]: {
      hook: 'filter hook forward priority filter + 20',
      rules: [
        `iifname != ${GUESTS} oifname != ${GUESTS} accept`,
        `${lacks(PASSED)} counter drop`,
        `iifname ${GUESTS} ${lacks(PROVEN)} counter drop`,
      ],
    },
    [`inet ${name} to_host`]: {
      hook: 'filter hook input priority filter + 20',
      rules: [`iifname ${GUESTS} ${lacks(BOTH)} counter drop`],
    },
    [`arp ${name} guard`]: {
      hook: 'filter hook input priority filter + 20',
      rules: [`iifname ${GUESTS} ${lacks(PROVEN)} counter drop`],
    },
  };
  const flags = owned ? ' { flags owner; }' : '';
  return [...['inet', 'arp'].map((family) => `add table ${family} ${name}${flags}`), ...chainLines(gate)];
}

/** The gate that stays when this process ends. */
export const GATE = 'vauban-gate';

/** Lines that remove the tables whether or not they exist. */
export const DROP_TABLES = ['inet', 'arp'].flatMap((family) => [
  `add table ${family} vauban`,
  `delete table ${family} vauban`,
]);

/**
 * Returns the lines that create what all guests share: sets, maps, and base chains. They change nothing that already
 * exists; guests' elements, chains and counters stay.
 */
export function baseTable(uplink: string, limits = TRAFFIC_LIMITS): string[] {
  return [
    'add table inet vauban',
    'add table arp vauban',
    ...SETS.map((set) => `add ${set}`),
    'add counter inet vauban spoofed',
    'add counter arp vauban spoofed',
    ...chainLines(chainsOf(uplink, limits)),
    ...gateTable(GATE),
  ];
}

/** Creates all chains before any rule, because a rule may jump to a later chain. */
function chainLines(chains: Record<string, Chain>): string[] {
  const named = Object.entries(chains);
  return [
    ...named.map(([name, { hook }]) =>
      hook ? `add chain ${name} { type ${hook}; policy accept; }` : `add chain ${name}`,
    ),
    ...named.flatMap(([name, { rules }]) => [
      `flush chain ${name}`,
      ...rules.map((rule) => `add rule ${name} ${rule}`),
    ]),
  ];
}
