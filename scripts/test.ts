// Runs the tests; docs/testing.md explains the tiers.
//   npm test                           the fast tier
//   npm test -- ledger                 only files whose path contains this; the path of a file runs it, whatever its tier
//   npm test -- --changed              the nearest of those that changes since origin/main can affect
//   npm run test:full [-- NAME]        the full and the host tier
//   npm run test:slow [-- NAME]        the rest
//   … -- --db postgres                 on one engine only
//   … -- --record                      records the durations (test/durations.json), and the rows of slow suites
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY } from '../test/support/source.ts';
import { makePgliteTemplate } from '../test/support/template.ts';
import { changedFiles, nearest, reachedBy } from './testing/changed.ts';
import { expected, record } from './testing/durations.ts';
import { type Batch, type FileResult, type RunOptions, runBatch } from './testing/events.ts';
import { hasPostgres, withPostgres } from './testing/postgres.ts';
import { fileReport, Progress, summary } from './testing/report.ts';
import { apart, inTurn, PROCESSES, shared } from './testing/schedule.ts';
import { recordSlow } from './testing/slow-suites.ts';
import { type Engine, type Job, jobsOf, named, reaches, testFiles, tierOf } from './testing/tiers.ts';

/** A directory in memory on Linux, and the free space in bytes that the tests of both engines need at most. */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 2 * 2 ** 30;
const DATABASE = 'test/support/database.ts';
/**
 * Total expected duration of the files that `--changed` runs: on two cores, including process starts, this takes twenty
 * seconds.
 */
const CHANGED_SECONDS = 30;
/** With this many files or fewer, a run shows each of their tests. */
const FEW = 3;

/**
 * Returns the directory for test data: in memory if there is enough space. A TMPDIR set by the caller takes precedence.
 */
function temporaryDirectory(): string | undefined {
  if (process.env.TMPDIR) return process.env.TMPDIR;
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_NEEDED ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string', default: 'fast' },
    db: { type: 'string' },
    changed: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});
const { tier, db } = values;
if (tier !== 'fast' && tier !== 'full' && tier !== 'slow') fail('--tier must be fast, full or slow');
if (db !== undefined && db !== 'pglite' && db !== 'postgres') fail('--db must be pglite or postgres');
const postgres = hasPostgres();
if (db === 'postgres' && !postgres) fail('PostgreSQL is not installed');
if (tier === 'full' && !postgres && process.env.VAUBAN_REQUIRE_POSTGRES === '1')
  fail('PostgreSQL is not installed');

/** Returns the files of the tier that changes can reach, as many as take seconds; prints how many more there are. */
function nearChanges(files: string[]): string[] {
  const ofTier = new Set(jobsOf(tier as 'fast' | 'full' | 'slow', files, postgres).map(({ file }) => file));
  const reached = reachedBy(changedFiles(), [...ofTier]);
  const near = nearest(reached, CHANGED_SECONDS, (file) => expected({ file, engine: 'pglite' }));
  const left = reached.length - near.length;
  if (left > 0) console.log(`the nearest ${near.length} of ${reached.length} files that the changes reach`);
  return near;
}

const inRepository = (path: string) => relative(REPOSITORY, resolve(path));

/**
 * Each name must match a file of the tier: next to names that match, a mistyped one would look as if its tests had
 * passed.
 */
function requireMatch(name: string, all: string[]): void {
  const files = named(all, [name]);
  if (jobsOf(tier as 'fast' | 'full' | 'slow', files, postgres).length > 0) return;
  const others = [...new Set(files.map(tierOf))].join(', ');
  fail(`no ${tier} test matches ${name}${others ? `; there are some of: ${others}` : ''}`);
}

/** Exact paths run whatever their tier, on every engine; other names select among the files of the tier. */
function chosenJobs(): Job[] {
  const all = testFiles();
  const files = named(all, positionals);
  const exact = positionals.filter((name) => name.endsWith('.ts')).map(inRepository);
  for (const file of exact) if (!existsSync(join(REPOSITORY, file))) fail(`${file} does not exist`);
  const engines: Engine[] = db
    ? [db as Engine]
    : postgres && tier === 'full'
      ? ['postgres', 'pglite']
      : ['pglite'];
  const byPath = exact.flatMap((file) => engines.map((engine): Job => ({ file, engine })));
  const byName = files.filter((file) => !exact.includes(file));
  const reached = values.changed ? nearChanges(byName) : byName;
  const ofTier = jobsOf(tier as 'fast' | 'full' | 'slow', reached, postgres && db !== 'pglite');
  // A file that runs on both engines is listed twice; on a chosen engine it runs only once.
  const once = new Set(ofTier.map(({ file }) => file));
  const wanted = db ? [...once].map((file): Job => ({ file, engine: db as Engine })) : ofTier;
  for (const name of positionals) if (!name.endsWith('.ts')) requireMatch(name, all);
  return [...byPath, ...(exact.length === positionals.length && exact.length > 0 ? [] : wanted)];
}

const directory = temporaryDirectory();
if (directory) process.env.TMPDIR = directory;
// All test processes load the same modules, so they are compiled once and again only after a change.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'vauban-test-compile-cache');

/** Aborted by a signal: the tests end first, and then their server. */
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());

const jobs = chosenJobs();
const start = performance.now();
const results: FileResult[] = [];
const progress = new Progress(jobs.length);
const show = { engine: new Set(jobs.map(({ engine }) => engine)).size > 1, tests: jobs.length <= FEW };

async function runAll(databaseUrl: string): Promise<boolean> {
  const options: RunOptions = {
    databaseUrl,
    deep: tier !== 'fast',
    slow: tier === 'slow',
    signal: interruption.signal,
  };
  const onFile = (result: FileResult) => {
    results.push(result);
    progress.file(fileReport(result, show), result.failures.length > 0);
  };
  const runOne = async (batch: Batch) => {
    if (!interruption.signal.aborted) await runBatch(batch, options, onFile);
  };
  const sharing =
    jobs.every(({ file, engine }) => tierOf(file) === 'fast' && engine === 'pglite') && tier === 'fast';
  const { alone, beside, rest } = sharing ? { alone: [], beside: [], rest: shared(jobs) } : apart(jobs);
  const atOnce = tier === 'slow' ? 1 : PROCESSES;
  const waiting = inTurn(beside, beside.length || 1, runOne);
  await inTurn(alone, 1, runOne);
  await inTurn(rest, atOnce, runOne);
  await waiting;
  return !interruption.signal.aborted && results.every(({ failures }) => failures.length === 0);
}

// Created once, not by each of the processes that start at the same time.
if (jobs.some(({ file }) => reaches(file, [DATABASE]))) await makePgliteTemplate();
const passed = jobs.some(({ engine }) => engine === 'postgres')
  ? await withPostgres(runAll)
  : await runAll('');
progress.end();
if (tier === 'full' && !postgres) console.log('PostgreSQL: not found; all of it ran on PGlite');
const seconds = (performance.now() - start) / 1000;
if (values.record && passed)
  record(
    results.map(({ file, engine, seconds }) => ({ job: { file, engine }, seconds })),
    testFiles(),
  );
if (values.record && tier === 'slow') recordSlow(results);
process.stdout.write(summary(results, seconds));
process.exitCode = passed ? 0 : 1;
