import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../test/support/source.ts';
import { type Job, tierOf } from './tiers.ts';

const FILE = join(REPOSITORY, 'test/durations.json');
/** Assumed for a file that no recorded run included, in seconds. Outside the fast tier it may be long, so it begins early. */
const UNKNOWN = { fast: 5, others: 60 };

type Recorded = Record<string, Partial<Record<Job['engine'], number>>>;

const recorded: Recorded = JSON.parse(readFileSync(FILE, 'utf8'));

/** How long a job took, in seconds, when it was last recorded. It decides only in which order jobs begin. */
export function expected({ file, engine }: Job): number {
  const of = recorded[file] ?? {};
  return of[engine] ?? of.postgres ?? of.pglite ?? (tierOf(file) === 'fast' ? UNKNOWN.fast : UNKNOWN.others);
}

/** Keeps what a run took: `test/durations.json`, without files that are gone. */
export function record(took: { job: Job; seconds: number }[], existing: string[]): void {
  for (const { job, seconds } of took)
    recorded[job.file] = { ...recorded[job.file], [job.engine]: Math.round(seconds * 10) / 10 };
  const kept = Object.entries(recorded)
    .filter(([file]) => existing.includes(file))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}
