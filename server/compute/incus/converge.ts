import type { Clock } from '../../platform/clock.ts';
import { CapacityError } from '../driver.ts';
import { IncusError, UnansweredError } from './client.ts';

/**
 * Time limit for retries while something blocks the step: another operation on the instance, or leftovers of a failed
 * start.
 */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 150;
/**
 * Refusals that go away without help. Incus cleans up after a failed start a moment later: until then its route still
 * exists ("File exists") and the instance is shown as running. A busy cluster abandons its own work at a deadline. A
 * move may end between the look and the next request ("the same as current server").
 */
const PASSING =
  /is busy running|File exists|already running|already stopped|[Ii]nstance is (not )?running|is not stopped|[Ii]nstance must be stopped|not running|Operation is already|already in progress|context deadline exceeded|same as current server/;

export interface Way<T> {
  look(): Promise<T>;
  isDone(now: T): boolean;
  step(now: T): Promise<void>;
  signal?: AbortSignal;
}

/**
 * Repeats `step` until the state is as wanted. After a step with unknown outcome, and after a temporary refusal, it
 * looks again first, so a completed step is never repeated.
 */
export async function converge<T>(clock: Clock, { look, isDone, step, signal }: Way<T>): Promise<T> {
  const end = clock.now().getTime() + PATIENCE_MS;
  let failure: unknown;
  for (;;) {
    signal?.throwIfAborted();
    const now = await look();
    if (isDone(now)) return now;
    // Checked after the look: a step may take longer than the limit, such as the copy of a large disk.
    if (failure && clock.now().getTime() >= end) throw failure;
    try {
      await step(now);
      // The step has succeeded or was undone by something else: the next look will tell.
      failure = new Error('the requested change was undone repeatedly');
    } catch (error) {
      failure = asCapacity(error);
      if (!isPassing(error)) throw failure;
      await clock.sleep(PAUSE_MS, signal);
    }
  }
}

export function isPassing(error: unknown): boolean {
  return error instanceof UnansweredError || (error instanceof IncusError && PASSING.test(error.message));
}

/** Returns the error, converted to {@link CapacityError} if Incus reports that there is no space. */
export function asCapacity(error: unknown): unknown {
  const { message } = error as Error;
  return error instanceof IncusError &&
    /no space left|out of disk space|disk quota exceeded|not enough space/i.test(message)
    ? new CapacityError(message, { cause: error })
    : error;
}
