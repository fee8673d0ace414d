import { powerAt, type Run } from '../../simulated-guest/model/guest.ts';
import { ShutdownTimeoutError } from '../driver.ts';
import type { Guest } from './guest.ts';
import { has } from './sentinels.ts';

/**
 * Power, as a function of the stored run and the present instant (`now`, epoch milliseconds): a change writes
 * down when its effects will come, and nothing needs to happen for them to come.
 */

/** How long after its boot a guest crashes, powers itself off or gets out of sight: time enough to be seen running. */
const OWN_END_AFTER_MS = 60_000;
const SLOW_BOOT_FACTOR = 10;
/** How long a guest that does not become ready is waited for. */
const READY_WITHIN_MS = 300_000;

/** How long a guest takes to boot and to obey, before its habits. */
export interface Pace {
  bootMs: number;
  shutdownMs: number;
}

/** Whether what runs inside the guest does so at `now`: its boot is over, and it may yet not be ready. */
export function isUp({ run }: Pick<Guest, 'run'>, now: number): boolean {
  if (!run || powerAt({ run }, now) === 'off') return false;
  return now < run.bootFrom || now >= run.bootUntil;
}

/** Whether nothing but its end can be had of the guest at `now`. */
export function isOutOfSight({ hostname, run }: Pick<Guest, 'hostname' | 'run'>, now: number): boolean {
  return has(hostname, 'getsOutOfSight') && run !== null && now >= run.bootUntil + OWN_END_AFTER_MS;
}

function ownEnd(hostname: string, bootUntil: number): Run['end'] {
  const at = bootUntil + OWN_END_AFTER_MS;
  if (has(hostname, 'crashes')) return { at, why: 'crashed' };
  return has(hostname, 'powersOff') ? { at, why: 'powered_off' } : null;
}

function bootedRun(hostname: string, since: number, bootFrom: number, pace: Pace): Run {
  const factor = has(hostname, 'bootsSlowly') ? SLOW_BOOT_FACTOR : 1;
  const bootUntil = bootFrom + pace.bootMs * factor;
  const waitUntil = bootUntil + READY_WITHIN_MS;
  const end = ownEnd(hostname, bootUntil);
  return { since, bootFrom, bootUntil, end, ...(has(hostname, 'hasNoSsh') && { waitUntil }) };
}

/** Begins a boot; a guest that is on stays on, even one that was asked to go off. */
export function powerOn(guest: Guest, now: number, pace: Pace): void {
  const { hostname, run } = guest;
  if (!run) guest.run = bootedRun(hostname, now, now, pace);
  else if (run.end?.why === 'asked') run.end = ownEnd(hostname, run.bootUntil);
}

/**
 * Asks the guest to go off by `latest`. A boot is not interrupted by it. Once it obeys, it goes off whether
 * or not anybody still waits; one that would be too late does not obey.
 */
export function askOff({ hostname, run }: Guest, now: number, latest: number, pace: Pace): void {
  if (!run || has(hostname, 'ignoresShutdown')) return;
  const at = Math.max(now, run.bootUntil) + pace.shutdownMs;
  if (at <= latest && at < (run.end?.at ?? Number.POSITIVE_INFINITY)) run.end = { at, why: 'asked' };
}

/** Stops the guest, by a reset once `timeoutMs` are over, and boots it; one that reboots already goes on. */
export function restart(guest: Guest, now: number, timeoutMs: number, pace: Pace): void {
  const { hostname, run } = guest;
  if (run && now < run.bootUntil) return;
  const stopMs = has(hostname, 'ignoresShutdown') ? timeoutMs : Math.min(pace.shutdownMs, timeoutMs);
  guest.run = run ? bootedRun(hostname, run.since, now + stopMs, pace) : bootedRun(hostname, now, now, pace);
}

/** When the guest will have booted; throws once it no longer will. */
export function whenBooted(id: string, guest: Guest | undefined, now: number): number {
  if (!guest?.run || powerAt(guest, now) === 'off') throw new Error(`${id} went away while it booted`);
  return guest.run.bootUntil;
}

/** When the guest will be off, or `deadline`, whichever is sooner; throws when it is on at the deadline. */
export function whenOff(id: string, guest: Guest | undefined, now: number, deadline: number): number {
  if (!guest?.run || powerAt(guest, now) === 'off') return now;
  if (now >= deadline) throw new ShutdownTimeoutError(`${id} did not power off in time`);
  return Math.min(deadline, guest.run.end?.at ?? deadline);
}
