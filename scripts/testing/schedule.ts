import { availableParallelism } from 'node:os';
import { expected } from './durations.ts';
import type { Batch } from './events.ts';
import { type Job, wishOf } from './tiers.ts';

/**
 * Number of concurrent test processes: one more than there are cores, because most tests wait now and then for a
 * browser, a guest or a real clock. With two on two cores, a tenth of the time was idle.
 */
export const PROCESSES = availableParallelism() + 1;

const byDuration = (jobs: Job[]) => jobs.toSorted((a, b) => expected(b) - expected(a));

/**
 * Distributes files over as many processes as run at once, so that all take about the same time: longest first, each to
 * the process with the least to do. More processes would cost more, because each takes seconds to load the service and
 * a database.
 */
export function shared(jobs: Job[]): Batch[] {
  const batches = Array.from({ length: PROCESSES }, () => ({
    seconds: 0,
    files: [] as string[],
  }));
  for (const job of byDuration(jobs)) {
    const least = batches.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    least.files.push(job.file);
    least.seconds += expected(job);
  }
  return batches.filter(({ files }) => files.length > 0).map(({ files }) => ({ files, engine: 'pglite' }));
}

/** A batch for each job, the longest first: what takes longest must not begin last, while the other cores idle. */
export function apart(jobs: Job[]): { alone: Batch[]; beside: Batch[]; rest: Batch[] } {
  const batches = byDuration(jobs).map(({ file, engine }): Batch => ({ files: [file], engine }));
  const alone = batches.filter(
    ({ files: [file], engine }) => engine === 'postgres' && wishOf(file!, 'alone'),
  );
  const beside = batches.filter(({ files: [file] }) => wishOf(file!, 'beside'));
  const rest = batches.filter((batch) => !alone.includes(batch) && !beside.includes(batch));
  return { alone, beside, rest };
}

/** Runs `work` on all items in order, `atOnce` of them at a time. */
export async function inTurn<T>(
  items: T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
