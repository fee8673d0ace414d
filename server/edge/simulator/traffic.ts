import { seeded, waveIntegral } from '../../platform/synthetic-load.ts';
import type { SimulatedVector } from '../driver.ts';
import { PROTOCOL_NUMBERS } from '../protocol-numbers.ts';
import type { Packet } from './packet.ts';

/** Part of a flow: identical packets, and their share of the flow's packets. */
export interface Flow {
  packet: Packet;
  share: number;
}

/** An attack on a simulated target, in epoch milliseconds. */
export interface Attack {
  vector: SimulatedVector;
  pps: number;
  from: number;
  to: number;
}

/**
 * Distinct sources (and random ports) that represent the many of an attack, so that a rule on a network matches part
 * of it.
 */
const ATTACKERS = 16;
const CLIENTS = 8;

/** Range of a target's mean incoming traffic; log-uniform, so low values are more likely. */
const MEAN_PPS = [50, 2_500] as const;
const DAY_SECONDS = 86_400;
const BUSIEST_HOUR = 15;
/** Heights relative to the mean. They add up to less than 1, so no rate is ever negative. */
const WAVES = [
  { seconds: DAY_SECONDS, height: 0.45 },
  { seconds: 9_700, height: 0.2 },
  { seconds: 1_900, height: 0.15 },
  { seconds: 310, height: 0.1 },
] as const;
/** Servers send more than they receive. */
const OUT_PER_IN_BYTE = 2.5;

/** Returns the number of packets of normal use between two instants (epoch milliseconds). */
export function normalPackets(id: string, fromMs: number, toMs: number): number {
  const random = seeded(id);
  const [low, high] = MEAN_PPS;
  const mean = low * (high / low) ** random();
  let weighted = (toMs - fromMs) / 1000;
  for (const { seconds, height } of WAVES) {
    const phase =
      seconds === DAY_SECONDS ? Math.PI / 2 - (2 * Math.PI * BUSIEST_HOUR) / 24 : 2 * Math.PI * random();
    weighted += waveIntegral(height, seconds, phase, fromMs / 1000, toMs / 1000);
  }
  return mean * weighted;
}

/** Returns the bytes a target sends while this many bytes of normal use arrive. */
export function normalOutBytes(inBytes: number): number {
  return inBytes * OUT_PER_IN_BYTE;
}

const { tcp, udp, icmp, icmpv6 } = PROTOCOL_NUMBERS;

const packet = (over: Partial<Packet>): Packet => ({
  protocol: tcp,
  source: '192.0.2.1',
  sourcePort: null,
  destinationPort: null,
  length: 60,
  flags: [],
  fragment: 'none',
  ...over,
});

/** The same kind of packet from several sources, which share `share` evenly. */
function spread(share: number, sources: string[], kind: (index: number) => Partial<Packet>): Flow[] {
  return sources.map((source, index) => ({
    packet: packet({ source, ...kind(index) }),
    share: share / sources.length,
  }));
}

/** Addresses that differ in their first byte, like those of the real world. */
function sources(random: () => number, count: number, family: 4 | 6): string[] {
  const byte = () => 1 + Math.floor(random() * 222);
  return Array.from({ length: count }, () =>
    family === 4
      ? `${byte()}.${byte()}.${byte()}.${byte()}`
      : `2001:db8:${byte().toString(16)}:${byte().toString(16)}::${byte().toString(16)}`,
  );
}

const ephemeral = (random: () => number) => 1024 + Math.floor(random() * 64_000);

/** Returns the flows of a target's normal use. */
export function normalFlows(id: string, family: 4 | 6): Flow[] {
  const random = seeded(`${id}/clients`);
  const clients = sources(random, CLIENTS, family);
  const ports = clients.map(() => ephemeral(random));
  const web = (index: number) => ({ sourcePort: ports[index]!, destinationPort: 443 });
  return [
    ...spread(0.74, clients, (index) => ({ ...web(index), length: 620, flags: ['ack'] })),
    ...spread(0.04, clients, (index) => ({ ...web(index), flags: ['syn'] })),
    ...spread(0.19, clients, (index) => ({ ...web(index), protocol: udp, length: 420 })),
    ...spread(0.02, clients.slice(0, 2), () => ({
      protocol: udp,
      sourcePort: 53,
      destinationPort: 41_000,
      length: 140,
    })),
    ...spread(0.01, clients.slice(0, 1), () => ({ protocol: family === 4 ? icmp : icmpv6, length: 84 })),
  ];
}

type Recipe = (flow: { random: () => number; family: 4 | 6; from: string[] }) => Flow[];

const amplification =
  (port: number, length: number, fragments: number): Recipe =>
  ({ random, from }) => [
    ...spread(1 - fragments, from, () => ({
      protocol: udp,
      sourcePort: port,
      destinationPort: ephemeral(random),
      length,
      fragment: 'none',
    })),
    ...(fragments > 0
      ? spread(fragments, from, () => ({ protocol: udp, length: 1_100, fragment: 'later' }))
      : []),
  ];

const RECIPES: Record<SimulatedVector, Recipe> = {
  syn_flood: ({ random, from }) =>
    spread(1, from, () => ({
      sourcePort: ephemeral(random),
      destinationPort: 443,
      length: 60,
      flags: ['syn'],
    })),
  udp_flood: ({ random, from }) =>
    spread(1, from, () => ({
      protocol: udp,
      sourcePort: ephemeral(random),
      destinationPort: ephemeral(random),
      length: 540,
    })),
  // Responses that do not fit one packet arrive in fragments, which carry no ports.
  dns_amplification: amplification(53, 1_400, 0.35),
  ntp_amplification: amplification(123, 468, 0),
  icmp_flood: ({ family, from }) =>
    spread(1, from, () => ({ protocol: family === 4 ? icmp : icmpv6, length: 84 })),
  fragment_flood: ({ from }) => spread(1, from, () => ({ protocol: udp, length: 1_500, fragment: 'later' })),
};

/** Returns the flows of an attack. The same attack always comes from the same sources. */
export function attackFlows(id: string, family: 4 | 6, { vector, from }: Attack): Flow[] {
  const random = seeded(`${id}/${vector}/${from}`);
  return RECIPES[vector]({ random, family, from: sources(random, ATTACKERS, family) });
}
