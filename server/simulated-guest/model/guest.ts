import { seeded } from '../../platform/synthetic-load.ts';
import type { PasswordHash } from './password.ts';
import { addUsage, ramUsedBytes, type Usage, usageBetween } from './rhythm.ts';

/**
 * A simulated guest as stored. What it *does* is never stored: it is computed from this and the present instant, so it
 * goes on while no process is running. Instants are epoch milliseconds.
 */
export interface SimulatedGuest {
  hostname: string;
  template: string;
  mac: string;
  vcpu: number;
  ramMb: number;
  diskGb: number;
  addresses: { address: string; family: 4 | 6; prefix: number; gateway: string }[];
  authorizedKeys: string[];
  /** Of the image's default user, as given at creation. */
  initialPassword: PasswordHash | null;
  /** Set later, by user; stands before the initial one. */
  passwords: Record<string, PasswordHash>;
  /** From power on to power off; null while off. */
  run: Run | null;
  /** Of the disk when it was made; absent in guests of old. */
  madeDiskGb?: number;
  /** Of what was written in its life, bytes that are not on its disk, which was replaced; absent where there are none. */
  unwrittenBytes?: number;
  /** Used in runs that are over. */
  before: Usage;
}

/** A guest's time from power on to power off. */
export interface Run {
  since: number;
  /** The latest boot: the first of the run, or a reboot's, which may lie ahead. */
  bootFrom: number;
  bootUntil: number;
  /** Until when it is waited for something to answer inside, where nothing ever does. */
  waitUntil?: number;
  /** When the guest goes off, and why, if that is settled. */
  end: { at: number; why: 'asked' | 'crashed' | 'powered_off' } | null;
}

/** Readings of a running guest; counters since its creation. */
export interface Sample {
  id: string;
  at: Date;
  cpuSeconds: number;
  vcpu: number;
  ramUsedBytes: number;
  diskReadBytes: number;
  diskWriteBytes: number;
  diskReadOps: number;
  diskWriteOps: number;
  netInBytes: number;
  netOutBytes: number;
  netInPackets: number;
  netOutPackets: number;
}

/** Bytes of the image, before anything was written. */
export const IMAGE_BYTES = 1_600_000_000;
const GIGABYTE = 1_000_000_000;
/** Of what a guest writes, the share that stays on its disk, and how full a disk gets at most. */
const KEPT_SHARE = 0.01;
const FULLEST = 0.8;

/** What a guest is doing at `now`. */
export function powerAt({ run }: Pick<SimulatedGuest, 'run'>, now: number): 'off' | 'booting' | 'running' {
  if (!run || (run.end && now >= run.end.at)) return 'off';
  return now >= run.bootFrom && now < (run.waitUntil ?? run.bootUntil) ? 'booting' : 'running';
}

type Metered = Pick<SimulatedGuest, 'run' | 'before' | 'vcpu'>;

/** Used since creation, at `now`. */
export function usageAt(id: string, { run, before, vcpu }: Metered, now: number): Usage {
  if (!run) return before;
  const until = Math.min(now, run.end?.at ?? now);
  return addUsage(before, usageBetween(id, vcpu, run.since, until));
}

/** The guest's readings, or undefined while it is off. */
export function sampleAt(
  id: string,
  guest: Metered & Pick<SimulatedGuest, 'ramMb'>,
  now: number,
): Sample | undefined {
  if (!guest.run || powerAt(guest, now) === 'off') return undefined;
  const usage = usageAt(id, guest, now);
  // Fixed for a guest, so that operations and packets grow exactly when bytes do.
  const random = seeded(`${id}/sizes`);
  const diskOpBytes = 8_192 * (1 + random());
  const packetBytes = 500 + 600 * random();
  return {
    id,
    at: new Date(now),
    cpuSeconds: usage.cpuSeconds,
    vcpu: guest.vcpu,
    ramUsedBytes: ramUsedBytes(id, guest.ramMb, guest.run.since, now),
    diskReadBytes: Math.floor(usage.diskReadBytes),
    diskWriteBytes: Math.floor(usage.diskWriteBytes),
    diskReadOps: Math.floor(usage.diskReadBytes / diskOpBytes),
    diskWriteOps: Math.floor(usage.diskWriteBytes / diskOpBytes),
    netInBytes: Math.floor(usage.netInBytes),
    netOutBytes: Math.floor(usage.netOutBytes),
    netInPackets: Math.floor(usage.netInBytes / packetBytes),
    netOutPackets: Math.floor(usage.netOutBytes / packetBytes),
  };
}

type Written = Metered & Pick<SimulatedGuest, 'unwrittenBytes'>;

/** Bytes on the disk, however large it is: the image, and a part of what was written since. */
export function bytesOnDisk(id: string, guest: Written, now: number): number {
  const written = KEPT_SHARE * usageAt(id, guest, now).diskWriteBytes;
  return IMAGE_BYTES + written - (guest.unwrittenBytes ?? 0);
}

/** The same on the disk that the guest has, which never gets full by itself. */
export function diskUsedAt(id: string, guest: Written & Pick<SimulatedGuest, 'diskGb'>, now: number): number {
  return Math.floor(Math.min(bytesOnDisk(id, guest, now), FULLEST * guest.diskGb * GIGABYTE));
}
