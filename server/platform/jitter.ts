import { randomInt } from 'node:crypto';

/** A wait of 1 to `most` milliseconds, so that those who failed together do not try again together. */
export function jitter(most: number): number {
  return randomInt(1, most + 1);
}
