import { type Instance, KEYS, runOf } from './instance.ts';
import type { Instances } from './instances.ts';

/**
 * Time during which a power-off is attributed to the stop request. A member lost during a stop completes it when it
 * returns, which is soon; a guest still on long after that was not stopped by the request.
 */
const GOOD_FOR_MS = 600_000;

/**
 * Records with a guest that its current run was asked to stop. A daemon that dies during a stop later reports the
 * power-off without a requestor, and to every node, only one of which had asked. Best effort: a full disk, on which
 * nothing can be recorded, must not keep a guest on.
 */
export async function noteStop(instances: Instances, instance: Instance, now: Date): Promise<void> {
  if (wasStopAsked(instance, now)) return;
  const config = { [KEYS.stopping]: `${runOf(instance)} ${now.getTime()}` };
  await instances.change(instance, { config }).catch(() => {});
}

/** Removes the record: the guest did not obey, so a later power-off is its own. */
export async function forgetStop(instances: Instances, instance: Instance): Promise<void> {
  await instances.change(instance, { config: { [KEYS.stopping]: '' } }).catch(() => {});
}

/** Returns whether the guest's current run, or the one that has just ended, was asked to stop. */
export function wasStopAsked(instance: Instance, now: Date): boolean {
  const [run, askedAt] = (instance.config[KEYS.stopping] ?? '').split(' ');
  return run === runOf(instance) && now.getTime() - Number(askedAt) < GOOD_FOR_MS;
}
