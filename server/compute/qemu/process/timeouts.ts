import type { Clock } from '../../../platform/clock.ts';
import { ComputeUnavailableError } from '../../driver.ts';

const LOOK_EVERY_MS = 10;

/** Returns the result of `work`, or throws the signal's reason if `signal` aborts first. The work itself continues. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
    if (signal.aborted) giveUp();
  });
}

/** Polls until `done` returns true. Throws a {@link ComputeUnavailableError} with the message `late` after `ms`. */
export async function until(
  clock: Clock,
  ms: number,
  late: string,
  done: () => Promise<boolean>,
  everyMs = LOOK_EVERY_MS,
): Promise<void> {
  for (let left = ms; !(await done()); left -= everyMs) {
    if (left <= 0) throw new ComputeUnavailableError(late);
    await clock.sleep(everyMs);
  }
}
