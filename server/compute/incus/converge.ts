import type { Clock } from '../../platform/clock.ts';
import { CapacityError } from '../driver.ts';
import { IncusError, UnansweredError } from './client.ts';

/** How long what stands in the way may take to pass: another operation on the instance, or what a failed start has left. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 150;
/**
 * Refusals that pass by themselves. A start that failed is cleaned up after by Incus a moment later: until then its route is
 * there ("File exists"), and the instance is shown as running. A cluster that is busy gives its own work up at a deadline. A
 * move may end between the look and the next request ("the same as current server").
 */
const PASSING =
  /is busy running|File exists|already running|already stopped|[Ii]nstance is (not )?running|is not stopped|[Ii]nstance must be stopped|not running|Operation is already|already in progress|context deadline exceeded|same as current server/;

export interface Way<T> {
  /** What there is now. */
  look(): Promise<T>;
  isDone(now: T): boolean;
  /** One step towards it. */
  step(now: T): Promise<void>;
  signal?: AbortSignal;
}

/**
 * Steps until what is looked at is as it should be. After a step whose outcome is unknown, and after a refusal that passes,
 * it is looked at again: so a step that was done is not done twice.
 */
export async function converge<T>(clock: Clock, { look, isDone, step, signal }: Way<T>): Promise<T> {
  const end = clock.now().getTime() + PATIENCE_MS;
  let failure: unknown;
  for (;;) {
    signal?.throwIfAborted();
    const now = await look();
    if (isDone(now)) return now;
    // Looked at before: a step may take longer than that, as the copy of a large disk does.
    if (failure && clock.now().getTime() >= end) throw failure;
    try {
      await step(now);
      // What was asked for is so now, or was overtaken: the next look says which.
      failure = new Error('what was asked for was undone again and again');
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

/** The error, as {@link CapacityError} where the engine says that there is no room. */
export function asCapacity(error: unknown): unknown {
  const { message } = error as Error;
  return error instanceof IncusError &&
    /no space left|out of disk space|disk quota exceeded|not enough space/i.test(message)
    ? new CapacityError(message, { cause: error })
    : error;
}
