import { seeded } from '../../../../platform/synthetic-load.ts';
import type { PasswordHash } from './password.ts';
import { addUsage, ramUsedBytes, type Usage, usageBetween } from './rhythm.ts';

/**
 * A simulated guest as stored. Its *activity* is never stored but computed from this and the current time, so it
 * continues while no process is running. Times are epoch milliseconds.
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
  /** Password of the image's default user, as given at creation. */
  initialPassword: PasswordHash | null;
  /** Passwords set later, by user; they override the initial one. */
  passwords: Record<string, PasswordHash>;
  /** From power on to power off; null while off. */
  run: Run | null;
  /** Disk size at creation; absent in old guests. */
  madeDiskGb?: number;
  /** Bytes it wrote to disks that were replaced later, so they are not on its current disk; absent if there are none. */
  unwrittenBytes?: number;
  /** Usage of earlier runs. */
  before: Usage;
}

/** A guest's time from power on to power off. */
export interface Run {
  since: number;
  /** The latest boot: the first of the run, or that of a reboot, which may lie in the future. */
  bootFrom: number;
  bootUntil: number;
  /** When the wait for something to answer inside ends, if nothing ever will. */
  waitUntil?: number;
  /** When and why the guest powers off, if that is decided. */
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

/** Size of the image, before anything was written. */
export const IMAGE_BYTES = 1_600_000_000;
const GIGABYTE = 1_000_000_000;
/** The share of written bytes that stays on the disk, and how full a disk can get. */
const KEPT_SHARE = 0.01;
const FULLEST = 0.8;

export function powerAt({ run }: Pick<SimulatedGuest, 'run'>, now: number): 'off' | 'booting' | 'running' {
  if (!run || (run.end && now >= run.end.at)) return 'off';
  return now >= run.bootFrom && now < (run.waitUntil ?? run.bootUntil) ? 'booting' : 'running';
}

type Metered = Pick<SimulatedGuest, 'run' | 'before' | 'vcpu'>;

/** Returns the usage since creation, at `now`. */
export function usageAt(id: string, { run, before, vcpu }: Metered, now: number): Usage {
  if (!run) return before;
  const until = Math.min(now, run.end?.at ?? now);
  return addUsage(before, usageBetween(id, vcpu, run.since, until));
}

/** Returns the guest's readings, or undefined while it is off. */
export function sampleAt(
  id: string,
  guest: Metered & Pick<SimulatedGuest, 'ramMb'>,
  now: number,
): Sample | undefined {
  if (!guest.run || powerAt(guest, now) === 'off') return undefined;
  const usage = usageAt(id, guest, now);
  // Constant for each guest, so that operations and packets grow in step with bytes.
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

/** Returns the bytes on the disk, regardless of its size: the image and part of the later writes. */
export function bytesOnDisk(id: string, guest: Written, now: number): number {
  const written = KEPT_SHARE * usageAt(id, guest, now).diskWriteBytes;
  return IMAGE_BYTES + written - (guest.unwrittenBytes ?? 0);
}

/** Returns the bytes used on the guest's actual disk, which never fills up on its own. */
export function diskUsedAt(id: string, guest: Written & Pick<SimulatedGuest, 'diskGb'>, now: number): number {
  return Math.floor(Math.min(bytesOnDisk(id, guest, now), FULLEST * guest.diskGb * GIGABYTE));
}
