import type { Clock } from './clock.ts';

/** The outcome of `work`, unless `ms` pass first: then `late()` is thrown. The work itself goes on. */
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
