import { ShutdownTimeoutError } from '../driver.ts';
import type { Guest } from './guest.ts';
import { powerAt, type Run } from './guest-os/model/guest.ts';
import { has } from './sentinels.ts';

/**
 * Power as a function of the stored run and the current time (`now`, epoch milliseconds). A change stores when its
 * effects will happen, so nothing has to run for them to happen.
 */

/** Time after its boot until a guest crashes, powers itself off or gets out of sight: long enough to be seen running. */
const OWN_END_AFTER_MS = 60_000;
const SLOW_BOOT_FACTOR = 10;
/** Time to wait for a guest that does not become ready. */
const READY_WITHIN_MS = 300_000;

/** Time that a guest takes to boot and to shut down, before its habits are applied. */
export interface Pace {
  bootMs: number;
  shutdownMs: number;
}

/** Returns whether the guest's system runs at `now`: it has booted, but may not be ready. */
export function isUp({ run }: Pick<Guest, 'run'>, now: number): boolean {
  if (!run || powerAt({ run }, now) === 'off') return false;
  return now < run.bootFrom || now >= run.bootUntil;
}

/** Returns whether only powering off and removing the guest work at `now`. */
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

/** Starts a boot. A guest that is on stays on, even if it was asked to shut down. */
export function powerOn(guest: Guest, now: number, pace: Pace): void {
  const { hostname, run } = guest;
  if (!run) guest.run = bootedRun(hostname, now, now, pace);
  else if (run.end?.why === 'asked') run.end = ownEnd(hostname, run.bootUntil);
}

/**
 * Asks the guest to shut down by `latest`, after its boot if it is still booting. If it would be too late, it ignores
 * the request. Otherwise it powers off, whether or not anyone is still waiting.
 */
export function askOff({ hostname, run }: Guest, now: number, latest: number, pace: Pace): void {
  if (!run || has(hostname, 'ignoresShutdown')) return;
  const at = Math.max(now, run.bootUntil) + pace.shutdownMs;
  if (at <= latest && at < (run.end?.at ?? Number.POSITIVE_INFINITY)) run.end = { at, why: 'asked' };
}

/** Reboots the guest, by a reset after `timeoutMs` if it does not stop. A reboot already in progress continues. */
export function restart(guest: Guest, now: number, timeoutMs: number, pace: Pace): void {
  const { hostname, run } = guest;
  if (run && now < run.bootUntil) return;
  const stopMs = has(hostname, 'ignoresShutdown') ? timeoutMs : Math.min(pace.shutdownMs, timeoutMs);
  guest.run = run ? bootedRun(hostname, run.since, now + stopMs, pace) : bootedRun(hostname, now, now, pace);
}

/** Returns when the guest will have booted. Throws if that can no longer happen. */
export function whenBooted(id: string, guest: Guest | undefined, now: number): number {
  if (!guest?.run || powerAt(guest, now) === 'off') throw new Error(`${id} ended while it was booting`);
  return guest.run.bootUntil;
}

/** Returns when the guest will be off, at most `deadline`. Throws if it is still on at the deadline. */
export function whenOff(id: string, guest: Guest | undefined, now: number, deadline: number): number {
  if (!guest?.run || powerAt(guest, now) === 'off') return now;
  if (now >= deadline) throw new ShutdownTimeoutError(`${id} did not power off in time`);
  return Math.min(deadline, guest.run.end?.at ?? deadline);
}
