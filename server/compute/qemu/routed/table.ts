import { TAP_PREFIX } from './names.ts';

const GUESTS = `"${TAP_PREFIX}*"`;
/** Addresses that nobody outside can answer to: such a guest reaches the internet by the host's own address. */
const NOT_PUBLIC = '{ 10.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 192.168.0.0/16 }';
/** Where clouds keep what is nobody else's business, such as a provider's metadata of this very host. */
const LINK_LOCAL_4 = '169.254.0.0/16';
/** How quickly a guest may look for neighbours from a link-local address, each of which costs the host an entry. */
const DISCOVERY_LIMIT = 'limit rate 20/second burst 40 packets';

const SETS = [
  'set inet vauban cards { type ifname . ether_addr; }',
  'set inet vauban cards4 { type ifname . ether_addr . ipv4_addr; }',
  'set inet vauban cards6 { type ifname . ether_addr . ipv6_addr; }',
  'set inet vauban discovery { type ifname; flags dynamic; size 65535; timeout 1m; }',
  'set inet vauban hairpin { type ifname . ifname; }',
  'map inet vauban forwards { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }',
  'map inet vauban rules_in { type ifname : verdict; }',
  'map inet vauban rules_out { type ifname : verdict; }',
  'map inet vauban speeds { type ifname : verdict; }',
  'map inet vauban traffic_in { type ifname : counter; }',
  'map inet vauban traffic_out { type ifname : counter; }',
  'set arp vauban cards4 { type ifname . ether_addr . ipv4_addr; }',
];

interface BaseChain {
  hook: string;
  rules: string[];
}

const FORWARD = 'dnat ip to ip daddr . meta l4proto . th dport map @forwards';

function baseChains(uplink: string): Record<string, BaseChain> {
  return {
    // Before connection tracking, so that a forged packet costs next to nothing and leaves no trace.
    'inet vauban guard': {
      hook: 'filter hook prerouting priority raw',
      rules: [
        `iifname != ${GUESTS} accept`,
        'iifname . ether saddr != @cards counter name spoofed drop',
        // A client of DHCP, which this network has not; no forgery.
        'ip saddr 0.0.0.0 drop',
        'meta nfproto ipv4 iifname . ether saddr . ip saddr != @cards4 counter name spoofed drop',
        'meta nfproto ipv4 accept',
        `ip6 saddr { ::, fe80::/10 } icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } update @discovery { iifname ${DISCOVERY_LIMIT} } accept`,
        'ip6 saddr { ::, fe80::/10 } drop',
        'iifname . ether saddr . ip6 saddr != @cards6 counter name spoofed drop',
      ],
    },
    'inet vauban dnat_in': { hook: 'nat hook prerouting priority dstnat', rules: [FORWARD] },
    // The host itself may use a forward, too.
    'inet vauban dnat_host': { hook: 'nat hook output priority -100', rules: [FORWARD] },
    'inet vauban leaving': {
      hook: 'nat hook postrouting priority srcnat',
      rules: [
        // A guest that calls its own forward would see a packet from itself, and drop it.
        'ct status dnat iifname . oifname @hairpin masquerade',
        `iifname ${GUESTS} oifname "${uplink}" ip saddr ${NOT_PUBLIC} masquerade`,
      ],
    },
    'inet vauban forwarding': {
      hook: 'filter hook forward priority filter',
      rules: [
        `iifname != ${GUESTS} oifname != ${GUESTS} accept`,
        'ct state vmap { established : accept, related : accept, invalid : drop }',
        // Out through the uplink or to another guest, and never into the host's other networks.
        `iifname ${GUESTS} oifname != ${GUESTS} oifname != "${uplink}" drop`,
        `iifname ${GUESTS} ip daddr ${LINK_LOCAL_4} drop`,
        'iifname vmap @rules_out',
        'oifname vmap @rules_in',
        `oifname ${GUESTS} drop`,
      ],
    },
    // Behind the rules: what was dropped is not a guest's traffic, and what the host itself says to it neither.
    'inet vauban accounting': {
      hook: 'filter hook forward priority filter + 10',
      rules: [
        // What a guest sends beyond its speed is not its traffic either.
        'iifname vmap @speeds',
        'counter name oifname map @traffic_in',
        'counter name iifname map @traffic_out',
      ],
    },
    'inet vauban to_host': {
      hook: 'filter hook input priority filter',
      rules: [
        `iifname != ${GUESTS} accept`,
        'ct state established,related accept',
        'icmp type echo-request accept',
        'icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, echo-request } accept',
        'drop',
      ],
    },
    'arp vauban guard': {
      hook: 'filter hook input priority filter',
      rules: [
        `iifname ${GUESTS} iifname . arp saddr ether . arp saddr ip != @cards4 counter name spoofed drop`,
      ],
    },
  };
}

/** Lines that take the tables away, whether they are there or not. */
export const DROP_TABLES = ['inet', 'arp'].flatMap((family) => [
  `add table ${family} vauban`,
  `delete table ${family} vauban`,
]);

/**
 * Lines that make what all guests share: sets, maps, and the chains that hang in the kernel's hooks. Where all of it
 * is there already they change nothing; guests' elements, chains and counters stay.
 */
export function baseTable(uplink: string): string[] {
  const chains = Object.entries(baseChains(uplink));
  return [
    'add table inet vauban',
    'add table arp vauban',
    ...SETS.map((set) => `add ${set}`),
    'add counter inet vauban spoofed',
    'add counter arp vauban spoofed',
    ...chains.map(([name, { hook }]) => `add chain ${name} { type ${hook}; policy accept; }`),
    ...chains.flatMap(([name, { rules }]) => [
      `flush chain ${name}`,
      ...rules.map((rule) => `add rule ${name} ${rule}`),
    ]),
  ];
}
