import type { AttackVector } from '../db/queries/shield/shield-attacks.ts';
import { EDGE_CLASSES, type EdgeClass, type PortSample, type Volume } from '../edge/driver.ts';

/** A class with this share of the packets or bytes is part of the attack: normal traffic makes up a fifth at most. */
const SHARE_OF_ATTACK = 0.25;
/** A source port with more than this share of its protocol's packets is considered the origin of the attack. */
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

/** One part of an attack: a class of packets and, if known, the source port they come from. */
export interface Finding {
  vector: AttackVector;
  class: EdgeClass;
  /** Mean length of the class's packets, in bytes. */
  meanLength: number;
  /**
   * The source port that sends nearly all of the class, with the mean length of its packets; null if no port stands
   * out.
   */
  port: { number: number; meanLength: number } | null;
}

type Classes = Record<EdgeClass, Volume>;

/** Returns the traffic between two readings of a target's classes. */
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

/** A class is not part of an attack up to this multiple of its usual rate. */
const USUAL_FACTOR = 2;

/**
 * Returns the classes that make up an attack: those with a large share of it and more than their usual rate. If no
 * large class is unusual, all large ones; if none is large, the largest. `pps` is the total rate, `usualPps` the
 * usual rate of one class.
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

/** Names the vector of an attacking class, using a port sample if there is one. */
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
