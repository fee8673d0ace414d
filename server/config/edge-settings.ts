import * as kind from './setting-kinds.ts';
import type { Setting } from './settings.ts';

export const EDGE_CHOICES = [
  'auto',
  'off',
  'simulator',
  'nftables',
  'flowspec',
  'nftables+flowspec',
] as const;
/** More than routers on the market can hold. */
const MOST_ANNOUNCEMENTS = 20_000;

/** With longer intervals, an attack would be over before it is detected. */
const MOST_FLOW_SECONDS = 300;

export const EDGE_SETTINGS = {
  edge: {
    env: 'VAUBAN_EDGE',
    kind: kind.oneOf(EDGE_CHOICES),
    default: 'auto',
    about:
      'DDoS edge in front of the protected addresses. `nftables` drops packets on this host; `flowspec` has routers drop ' +
      'them, by BGP, and `nftables+flowspec` both; `simulator` only simulates; with `off`, no addresses can be protected. Required in production. In development, `auto` uses nftables if it is configured below and works, and otherwise the simulator.',
  },
  edgeHelper: {
    env: 'VAUBAN_EDGE_HELPER',
    kind: kind.path,
    about:
      'Socket of the edge helper, which manages the nftables rules; if absent, the service needs the privilege itself.',
  },
  edgeDevices: {
    env: 'VAUBAN_EDGE_DEVICES',
    kind: kind.words,
    about:
      'Without the helper: interfaces on which packets to protected addresses arrive, such as `eth0, eth1`.',
  },
  edgePrefixes: {
    env: 'VAUBAN_EDGE_PREFIXES',
    kind: kind.networks,
    default: '',
    about: 'Without the helper: networks whose addresses may be protected.',
  },
  flowspecGobgp: {
    env: 'VAUBAN_FLOWSPEC_GOBGP',
    kind: kind.localGrpc,
    about:
      'Address on which the GoBGP of this host listens, which announces rules to routers: `unix:/run/gobgpd/api.sock`, or a port on loopback, because anything that can reach it can announce any rule.',
  },
  flowspecPrefixes: {
    env: 'VAUBAN_FLOWSPEC_PREFIXES',
    kind: kind.networks,
    default: '',
    about: 'Networks for which rules may be announced; nothing is ever announced outside of them.',
  },
  flowspecMaxAnnouncements: {
    env: 'VAUBAN_FLOWSPEC_MAX_ANNOUNCEMENTS',
    kind: kind.integer(1, MOST_ANNOUNCEMENTS),
    default: '500',
    about: 'Maximum number of rules announced at a time; at most the capacity of the smallest router.',
  },
  flowspecBlackholeCommunity: {
    env: 'VAUBAN_FLOWSPEC_BLACKHOLE_COMMUNITY',
    kind: kind.community,
    default: '65535:666',
    about:
      'BGP community that asks routers to drop all traffic to an address; the default is that of RFC 7999.',
  },
  flowsPipe: {
    env: 'VAUBAN_FLOWS_PIPE',
    kind: kind.path,
    about:
      'Named pipe to which a collector of NetFlow, IPFIX or sFlow (pmacct) writes the incoming traffic of the protected addresses. Attacks are then detected from it instead of the counters of the edge. Only the collector must be able to write to it.',
  },
  flowsSeconds: {
    env: 'VAUBAN_FLOWS_SECONDS',
    kind: kind.integer(1, MOST_FLOW_SECONDS),
    default: '1',
    about:
      'How often exporters report an ongoing flow (their active timeout), in seconds; 1 for sFlow, which samples packets.',
  },
} satisfies Record<string, Setting>;
