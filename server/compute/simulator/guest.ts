import { seeded } from '../../platform/synthetic-load.ts';
import type {
  GuestAddress,
  GuestSample,
  GuestSize,
  GuestSpec,
  GuestVolume,
  NetworkPolicy,
  SnapshotInfo,
} from '../driver.ts';
import { hashPassword, type PasswordHash } from './password.ts';
import { powerAt } from './power.ts';
import { addUsage, NO_USAGE, ramUsedBytes, type Usage, usageBetween } from './rhythm.ts';
import type { Operation } from './sentinels.ts';

/**
 * Everything the simulator remembers of a guest, as stored. What the guest *does* is never stored: it is
 * computed from this and the present instant, so it goes on while no process is running. Instants are epoch
 * milliseconds.
 */
export interface Guest extends GuestSize {
  hostname: string;
  template: string;
  region: string;
  mac: string;
  addresses: GuestAddress[];
  authorizedKeys: string[];
  /** Of the image's default user, as given at creation. */
  initialPassword: PasswordHash | null;
  /** Set later, by user; stands before the initial one. */
  passwords: Record<string, PasswordHash>;
  snapshots: Record<string, SnapshotInfo>;
  network: NetworkPolicy | null;
  /** From power on to power off; null while off. */
  run: Run | null;
  /** Of the disk when it was made; absent in guests of old. */
  madeDiskGb?: number;
  /** Of what was written in its life, bytes that are not on its disk, which was replaced; absent where there are none. */
  unwrittenBytes?: number;
  /** A rebuild whose end is open, and what it goes back to: null where it has made the guest. */
  rebuilt?: { by: string; from: Former | null };
  /** Used in runs that are over. */
  before: Usage;
  /** Operations whose one provoked failure has happened. */
  spent: Operation[];
}

/** Of a guest what a rebuild changes, beside what is on its disk. */
export type Former = Pick<
  Guest,
  'hostname' | 'mac' | 'addresses' | 'vcpu' | 'ramMb' | 'diskGb' | 'snapshots'
>;

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

const GIGABYTE = 1_000_000_000;
const IMAGE_BYTES = 1_600_000_000;
/** Of what a guest writes, the share that stays on its disk, and how full a disk gets at most. */
const KEPT_SHARE = 0.01;
const FULLEST = 0.8;

/** The guest as it is made: off, and nothing used. Its password is hashed here; user data is dropped. */
export function newGuest(spec: GuestSpec): Guest {
  return {
    hostname: spec.hostname,
    template: spec.template,
    region: spec.region,
    mac: spec.mac,
    addresses: spec.addresses,
    vcpu: spec.vcpu,
    ramMb: spec.ramMb,
    diskGb: spec.diskGb,
    dedicated: spec.dedicated,
    authorizedKeys: [...new Set(spec.authorizedKeys)],
    initialPassword: spec.password === undefined ? null : hashPassword(spec.password),
    passwords: {},
    snapshots: {},
    network: null,
    run: null,
    madeDiskGb: spec.diskGb,
    before: NO_USAGE,
    spent: [],
  };
}

type Metered = Pick<Guest, 'run' | 'before' | 'vcpu'>;

/** Used since creation, at `now`. */
function usageAt(id: string, { run, before, vcpu }: Metered, now: number): Usage {
  if (!run) return before;
  const until = Math.min(now, run.end?.at ?? now);
  return addUsage(before, usageBetween(id, vcpu, run.since, until));
}

/** Closes the books of the run: the guest is off, and what it used is kept. */
export function endRun(id: string, guest: Guest, now: number): void {
  guest.before = usageAt(id, guest, now);
  guest.run = null;
}

/** The guest's readings, or undefined while it is off. */
export function sampleAt(
  id: string,
  guest: Metered & Pick<Guest, 'ramMb'>,
  now: number,
): GuestSample | undefined {
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

/** Bytes of the image, before anything was written. */
export function imageUsedBytes(): number {
  return IMAGE_BYTES;
}

/** Bytes on the disk, however large it is: the image, and a part of what was written since. */
export function bytesOnDisk(id: string, guest: Guest, now: number): number {
  const written = KEPT_SHARE * usageAt(id, guest, now).diskWriteBytes;
  return IMAGE_BYTES + written - (guest.unwrittenBytes ?? 0);
}

/** The guest's one disk. */
export function diskAt(id: string, guest: Guest, now: number): GuestVolume & { usedBytes: number } {
  const written = bytesOnDisk(id, guest, now);
  const usedBytes = Math.floor(Math.min(written, FULLEST * guest.diskGb * GIGABYTE));
  return { name: 'root', sizeGb: guest.diskGb, usedBytes, type: 'ssd', boot: true, device: '/dev/vda' };
}
