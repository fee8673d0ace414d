import { randomInt } from 'node:crypto';

/** Returns a random wait of 1 to `most` milliseconds, so that callers that failed together do not retry together. */
export function jitter(most: number): number {
  return randomInt(1, most + 1);
}
