import type { Retry } from '../db/queries/service/owned-jobs.ts';

/** Wait before the second attempt; it doubles with each further attempt, … */
const FIRST_WAIT_MS = 2_000;
/** … up to this. */
const LONGEST_WAIT_MS = 600_000;
/** An undo is given up after this many consecutive failures of one step: a quarter of an hour. */
const UNDO_ATTEMPTS = 10;
/**
 * A step that cannot be undone is retried for longer, nearly two hours: the refund of a deletion has already been paid,
 * and an engine that is away for an hour must not leave guests behind.
 */
const PERSISTENT_ATTEMPTS = 20;

/** Returns the number of consecutive failures of one step after which a job is given up. */
export function mostAttempts(hasWayBack: boolean): number {
  return hasWayBack ? UNDO_ATTEMPTS : PERSISTENT_ATTEMPTS;
}

/** Returns when to retry a job that has failed `attempts` times in a row. */
export function nextAttempt(attempts: number, now: Date): Retry {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
  return { attempts, at: new Date(now.getTime() + wait) };
}
