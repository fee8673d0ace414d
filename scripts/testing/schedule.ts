import { availableParallelism } from 'node:os';
import { expected } from './durations.ts';
import type { Batch } from './events.ts';
import { type Job, tierOf, wishOf } from './tiers.ts';

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

/** The total duration of the files that share a process in the full tier, in seconds. */
const TOGETHER_SECONDS = 60;

/**
 * Batches for the full tier, the longest first: what takes longest must not begin last, while the other cores idle. Fast files share
 * processes here too, because loading the service takes a process longer than most of them run; all others get one each.
 */
export function apart(jobs: Job[]): { alone: Batch[]; beside: Batch[]; rest: Batch[] } {
  const single = ({ file, engine }: Job): Batch => ({ files: [file], engine });
  const alone = byDuration(jobs.filter(({ file, engine }) => engine === 'postgres' && wishOf(file, 'alone')));
  const beside = byDuration(jobs.filter(({ file }) => wishOf(file, 'beside')));
  const rest = jobs.filter((job) => !alone.includes(job) && !beside.includes(job));
  const sharing = rest.filter(({ file, engine }) => tierOf(file) === 'fast' && engine === 'postgres');
  const batches = [
    ...rest
      .filter((job) => !sharing.includes(job))
      .map((job) => ({ seconds: expected(job), batch: single(job) })),
    ...together(sharing),
  ];
  return {
    alone: alone.map(single),
    beside: beside.map(single),
    rest: batches.toSorted((a, b) => b.seconds - a.seconds).map(({ batch }) => batch),
  };
}

/** Distributes files on PostgreSQL over processes that each take about TOGETHER_SECONDS, or one file that takes longer. */
function together(jobs: Job[]): { seconds: number; batch: Batch }[] {
  const batches: { seconds: number; batch: Batch }[] = [];
  for (const job of byDuration(jobs)) {
    const seconds = expected(job);
    const space = batches.find((one) => one.seconds + seconds <= TOGETHER_SECONDS);
    if (space) {
      space.seconds += seconds;
      space.batch.files.push(job.file);
    } else batches.push({ seconds, batch: { files: [job.file], engine: 'postgres' } });
  }
  return batches;
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
