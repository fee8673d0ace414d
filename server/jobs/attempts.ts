import type { Retry } from '../db/queries/owned-jobs.ts';

/** Before the second attempt; it doubles with every further one… */
const FIRST_WAIT_MS = 2_000;
/** …up to this. */
const LONGEST_WAIT_MS = 600_000;
/** Undoing is given up after so many failures of one step in a row: a quarter of an hour. */
const UNDO_ATTEMPTS = 10;
/**
 * What has no way back is tried longer, nearly two hours: the refund of a deletion has been paid, and an engine that
 * is away for an hour must not leave guests behind.
 */
const PERSISTENT_ATTEMPTS = 20;

/** How many failures of one step in a row a job is given up after, which has a way back or not. */
export function mostAttempts(hasWayBack: boolean): number {
  return hasWayBack ? UNDO_ATTEMPTS : PERSISTENT_ATTEMPTS;
}

/** When a job that has failed so many times is tried again. */
export function nextAttempt(attempts: number, now: Date): Retry {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
  return { attempts, at: new Date(now.getTime() + wait) };
}
