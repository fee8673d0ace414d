import { type Instance, KEYS, runOf } from './instance.ts';
import type { Instances } from './instances.ts';

/**
 * For so long the end of a guest is put down to the request. A member that is lost in a stop finishes it when it is back: that
 * is soon, and a guest that is on long after was not stopped by it.
 */
const GOOD_FOR_MS = 600_000;

/**
 * Notes with a guest that its present run was asked to end. A daemon that dies in the middle of a stop reports the end later
 * without the one who asked; and it reports it to every node, of which one alone has asked. Best effort: a full disk, on which
 * nothing can be noted, must not keep a guest on.
 */
export async function noteStop(instances: Instances, instance: Instance, now: Date): Promise<void> {
  if (wasStopAsked(instance, now)) return;
  const config = { [KEYS.stopping]: `${runOf(instance)} ${now.getTime()}` };
  await instances.change(instance, { config }).catch(() => {});
}

/** Takes the note back: the guest has not obeyed, so that an end which comes later is its own. */
export async function forgetStop(instances: Instances, instance: Instance): Promise<void> {
  await instances.change(instance, { config: { [KEYS.stopping]: '' } }).catch(() => {});
}

/** Whether the guest's present run, or the one that has just ended, was asked to end. */
export function wasStopAsked(instance: Instance, now: Date): boolean {
  const [run, askedAt] = (instance.config[KEYS.stopping] ?? '').split(' ');
  return run === runOf(instance) && now.getTime() - Number(askedAt) < GOOD_FOR_MS;
}
