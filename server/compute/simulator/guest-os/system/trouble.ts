import { IMAGE_BYTES, type SimulatedGuest } from '../model/guest.ts';
import type { InsideState } from './state.ts';

/** Problems that a hostname can ask for, to give users something to find and repair. */
const TROUBLES = {
  /** A forgotten debug log leaves only 3 % of the disk free. */
  diskFull: 'disk-full',
  /** nginx was killed and is down. */
  serviceFailed: 'service-failed',
  /** A worker leaks memory. */
  memHog: 'mem-hog',
} as const;

export function troubled(hostname: string, trouble: keyof typeof TROUBLES): boolean {
  return hostname.includes(TROUBLES[trouble]);
}

export const BIG_LOG = '/var/log/app/debug.log';
export const HOG_UNIT = 'report-worker';
const GIGABYTE = 1_000_000_000;
const BIG_LOG_FILLS_TO = 0.97;
const HOG_FILLS_TO = 0.94;
const HOG_SECONDS = 60;
const MEBIBYTE = 1_048_576;

/** Returns the size of the forgotten log, in bytes. It does not grow with the disk, so a larger disk solves the problem. */
export function bigLogBytes(guest: Pick<SimulatedGuest, 'diskGb' | 'madeDiskGb'>): number {
  const disk = (guest.madeDiskGb ?? guest.diskGb) * GIGABYTE;
  return Math.max(0, Math.floor(BIG_LOG_FILLS_TO * disk - IMAGE_BYTES));
}

/** Returns when the leaking worker was started, or undefined if it is not running. */
export function hogSince(
  guest: Pick<SimulatedGuest, 'hostname' | 'run'>,
  units: InsideState['units'] | null,
): number | undefined {
  if (!guest.run || !troubled(guest.hostname, 'memHog')) return undefined;
  const change = units?.[HOG_UNIT];
  if (!change || change.at < guest.run.bootFrom) return guest.run.bootUntil;
  return change.active === 'active' ? change.at : undefined;
}

/** Returns the memory in use including the leak, which takes all remaining memory within a few minutes of its start. */
export function withHog(usedBytes: number, ramMb: number, since: number | undefined, now: number): number {
  if (since === undefined) return usedBytes;
  const full = HOG_FILLS_TO * ramMb * MEBIBYTE;
  const share = 1 - Math.exp(-(now - since) / 1000 / HOG_SECONDS);
  return Math.floor(Math.max(usedBytes, usedBytes + (full - usedBytes) * share) / 4096) * 4096;
}
