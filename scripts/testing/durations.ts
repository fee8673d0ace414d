import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../test/support/source.ts';
import { type Job, tierOf } from './tiers.ts';

const FILE = join(REPOSITORY, 'test/durations.json');
/**
 * Assumed duration in seconds of a file that no recorded run included. Outside the fast tier it may be long, so it
 * starts early.
 */
const UNKNOWN = { fast: 5, others: 60 };

type Recorded = Record<string, Partial<Record<Job['engine'], number>>>;

const recorded: Recorded = JSON.parse(readFileSync(FILE, 'utf8'));

/** Returns how long a job took when it was last recorded, in seconds. Only used to decide in which order jobs start. */
export function expected({ file, engine }: Job): number {
  const of = recorded[file] ?? {};
  return of[engine] ?? of.postgres ?? of.pglite ?? (tierOf(file) === 'fast' ? UNKNOWN.fast : UNKNOWN.others);
}

/** Records the durations of a run in `test/durations.json`, and drops files that no longer exist. */
export function record(took: { job: Job; seconds: number }[], existing: string[]): void {
  for (const { job, seconds } of took)
    recorded[job.file] = { ...recorded[job.file], [job.engine]: Math.round(seconds * 10) / 10 };
  const kept = Object.entries(recorded)
    .filter(([file]) => existing.includes(file))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}
