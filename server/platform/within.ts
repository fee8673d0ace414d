import type { Clock } from './clock.ts';

/**
 * Returns the outcome of `work`, unless `ms` milliseconds pass first: then throws `late()`. The work itself continues.
 */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const done = new AbortController();
  const tooLate = clock.sleep(ms, done.signal).then(() => {
    throw late();
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    done.abort();
    tooLate.catch(() => {});
  }
}
