import type { AttackVector } from '../db/queries/shield-attacks.ts';
import { EDGE_CLASSES, type EdgeClass, type PortSample, type Volume } from '../edge/driver.ts';

/** A class with this share of the packets or of the bytes is part of the attack: usual traffic is a fifth at most. */
const SHARE_OF_ATTACK = 0.25;
/** One source port with more than this share of its protocol is where the attack comes from. */
const SHARE_OF_PORT = 0.7;

const AMPLIFIERS: Record<number, AttackVector> = { 53: 'dns_amplification', 123: 'ntp_amplification' };
const VECTOR_OF: Record<EdgeClass, AttackVector> = {
  syn: 'syn_flood',
  tcp: 'other',
  udp: 'udp_flood',
  icmp: 'icmp_flood',
  fragment: 'fragment_flood',
  other: 'other',
};

/** Part of an attack. */
export interface Finding {
  vector: AttackVector;
  class: EdgeClass;
  /** Of the class's packets, in bytes. */
  meanLength: number;
  /** The source port that nearly all of it comes from, and the mean length of its packets; null where none stands out. */
  port: { number: number; meanLength: number } | null;
}

type Classes = Record<EdgeClass, Volume>;

/** What came in between two readings of a target's classes. */
export function difference(now: Classes, before: Classes): Classes {
  const entries = EDGE_CLASSES.map((name): [EdgeClass, Volume] => [
    name,
    {
      packets: Math.max(0, now[name].packets - before[name].packets),
      bytes: Math.max(0, now[name].bytes - before[name].bytes),
    },
  ]);
  return Object.fromEntries(entries) as Classes;
}

/** Of a class that was usual so many times this is no attack. */
const USUAL_FACTOR = 2;

/**
 * The classes that an attack is made of: those that carry much of it and more than is usual for them, or at least the
 * largest. `pps` is how much came in of all together, `usualPps` what is usual of one.
 */
export function attackingClasses(
  classes: Classes,
  { pps, usualPps }: { pps: number; usualPps(name: EdgeClass): number },
): EdgeClass[] {
  const sum = (part: keyof Volume) => EDGE_CLASSES.reduce((total, name) => total + classes[name][part], 0);
  const [packets, bytes] = [sum('packets'), sum('bytes')];
  if (packets === 0) return [];
  const share = (name: EdgeClass) =>
    Math.max(classes[name].packets / packets, bytes === 0 ? 0 : classes[name].bytes / bytes);
  const large = EDGE_CLASSES.filter((name) => share(name) >= SHARE_OF_ATTACK);
  const unusual = large.filter(
    (name) => (pps * classes[name].packets) / packets > USUAL_FACTOR * usualPps(name),
  );
  if (unusual.length > 0) return unusual;
  if (large.length > 0) return large;
  return [[...EDGE_CLASSES].sort((a, b) => share(b) - share(a))[0]!];
}

/** Names an attacking class, with the help of a port sample where there is one. */
export function classify(
  name: EdgeClass,
  { packets, bytes }: Volume,
  portSample: PortSample | undefined,
): Finding {
  const port = name === 'udp' || name === 'tcp' || name === 'syn' ? standingOut(name, portSample) : null;
  const amplifier = name === 'udp' && port ? AMPLIFIERS[port.number] : undefined;
  const meanLength = packets === 0 ? 0 : bytes / packets;
  return { vector: amplifier ?? VECTOR_OF[name], class: name, meanLength, port };
}

function standingOut(name: EdgeClass, portSample: PortSample | undefined): Finding['port'] {
  const protocol = name === 'udp' ? 'udp' : 'tcp';
  const ports = (portSample?.ports ?? []).filter((entry) => entry.protocol === protocol);
  const others = portSample?.others[protocol] ?? 0;
  const total = ports.reduce((sum, { packets }) => sum + packets, others);
  const top = ports.reduce((most, entry) => (entry.packets > most.packets ? entry : most), {
    port: 0,
    packets: 0,
    bytes: 0,
  });
  if (top.packets === 0 || top.packets / total <= SHARE_OF_PORT) return null;
  return { number: top.port, meanLength: top.bytes / top.packets };
}
