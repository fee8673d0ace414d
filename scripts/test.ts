// Runs the tests: all of them on a private PostgreSQL, and beside them on PGlite those that an engine can make a difference
// to. Where no PostgreSQL is installed, all of them on PGlite.
//   npm test                            what CI runs
//   npm run test:all                    on PGlite, too, all that use a database
//   npm test -- test/db/engines.test.ts only these files, on one engine after the other
//   npm test -- --db postgres           on one engine only
import { accessSync, constants, existsSync, globSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { complaint, type Failure, failedTests } from '../test/support/failed-tests.ts';
import { findPostgres, startPostgres } from '../test/support/postgres-server.ts';
import { slowestFiles } from '../test/support/slowest-files.ts';
import { importsOf, REPOSITORY } from '../test/support/source.ts';

const DATABASE_SUPPORT = 'test/support/database.ts';
/** Far beyond what any test takes on any machine: one that has not ended by then waits for what will not happen. */
const TEST_TIMEOUT = 1_800_000;
/** The same for files whose name says that they are slow: they boot dozens of real guests, one file at a time. */
const SLOW_TEST_TIMEOUT = 3_600_000;

/**
 * The parity set, which runs on both engines: what depends on sessions, locks, notifications and the moment of a commit,
 * or on starts and ends of the service. The rest asks the same code paths again; `test:all` runs it on both, too.
 */
const PARITY = [
  'test/access/',
  'test/acceptance/conformity.full.test.ts',
  'test/acceptance/stories/',
  'test/chaos/deadlocks.full.test.ts',
  'test/chaos/first-start.full.test.ts',
  'test/chaos/full-disk.host.test.ts',
  'test/chaos/invariants.full.test.ts',
  'test/chaos/kill-sweep.full.test.ts',
  'test/chaos/mixed-load.full.test.ts',
  'test/chaos/outages.full.test.ts',
  'test/chaos/races.full.test.ts',
  'test/chaos/same-key.full.test.ts',
  'test/chaos/shutdown.full.test.ts',
  'test/cluster/',
  'test/db/',
  'test/gateway/forwards.test.ts',
  'test/gateway/service.host.test.ts',
  'test/hosts/clusters-away.test.ts',
  'test/hosts/clusters.test.ts',
  'test/hosts/placement.test.ts',
  'test/jobs/adoption.full.test.ts',
  'test/jobs/doubtful-claim.test.ts',
  'test/jobs/orphans.test.ts',
  'test/jobs/queue.test.ts',
  'test/jobs/round-trips.full.test.ts',
  'test/jobs/runner.test.ts',
  'test/jobs/scaffold.test.ts',
  'test/jobs/vacuum.test.ts',
  'test/limits/',
  'test/simulation/money.test.ts',
  'test/start/served.full.test.ts',
  'test/start/start.host.test.ts',
];

/** Run by `test/db/lock-order.full.test.ts` on PostgreSQL, where every transaction is watched and fails once. */
const WATCHED = 'test/acceptance/conformity.full.test.ts';

/**
 * Run before all else on PostgreSQL, with nothing beside it: two processes and their server ask and answer all the time, and
 * beside other tests a world takes four times as long.
 */
const ALONE = 'test/simulation/money.test.ts';

/** What takes longest begins first, so that no core idles at the end; the order of the others does not matter. */
const LONGEST = [
  'test/chaos/kill-sweep.full.test.ts',
  'test/panel/browser/pages.full.test.ts',
  'test/panel/browser/security.full.test.ts',
  'test/edge/nftables-synproxy.host.test.ts',
  'test/upgrade/rolling.full.test.ts',
  'test/hosts/kill-move.full.test.ts',
  'test/chaos/failover.full.test.ts',
  'test/docs/guides.full.test.ts',
  'test/docs/samples.full.test.ts',
  'test/edge/nftables-service.host.test.ts',
  'test/gateway/failover.host.test.ts',
  'test/panel/browser/machines.full.test.ts',
  'test/panel/browser/story.full.test.ts',
  'test/compute/incus/contract.host.test.ts',
  'test/compute/qemu/adoption.host.test.ts',
  'test/consoles/share-bounds.full.test.ts',
  'test/acceptance/prices.full.test.ts',
  'test/compute/qemu/readiness.host.test.ts',
  'test/db/lock-order.full.test.ts',
  'test/jobs/adoption.full.test.ts',
  'test/openapi/served.full.test.ts',
  'test/compute/qemu/pool-guard.host.test.ts',
  'test/qemu/end-to-end.host.test.ts',
  'test/operator-panel/browser/pages.full.test.ts',
  'test/jobs/scaffold.test.ts',
  'test/chaos/full-disk.host.test.ts',
  'test/start/start.host.test.ts',
  'test/oracle/oracle.test.ts',
  'test/agent/policy-strace.host.test.ts',
  'test/operator/vaubanctl-vm.full.test.ts',
  'test/acceptance/conformity.full.test.ts',
  'test/start/production.host.test.ts',
];

/** A directory in memory, as Linux has it, and the room in bytes that the tests of both engines need at the most. */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 2 * 2 ** 30;

type Engine = 'pglite' | 'postgres';

/**
 * Where the tests keep their data: in memory where there is room. Most tests copy a database of a thousand small
 * files, which takes a disk twenty times as long. A TMPDIR of the caller goes before.
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

/** Whether `file` imports the database support, directly or through another file. */
function touchesDatabase(file: string, seen = new Set<string>()): boolean {
  if (file === DATABASE_SUPPORT) return true;
  if (seen.has(file) || !existsSync(join(REPOSITORY, file))) return false;
  seen.add(file);
  return importsOf(file).some((target) => touchesDatabase(target, seen));
}

/** Aborted by a signal: the tests end, and then, by the usual way out, the server that they used. */
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());

/**
 * How many files run at once: one more than there are cores, as most wait now and then for a browser, a guest or a real
 * clock. At two on two cores a tenth of the time went idle.
 */
const AT_ONCE = availableParallelism() + 1;

/** Of so many files on PostgreSQL one runs after those on PGlite, which take less time than the rest. */
const LATER_EACH = 5;

/** How the files of one engine run. */
interface Manner {
  /** How many at once. */
  atOnce: number;
  /** Takes the report, piece by piece. */
  write: (text: string) => void;
}

const print = (text: string) => void process.stdout.write(text);

/** Of what a file wrote to its standard error, in characters: its end. */
const KEPT_OF_STDERR = 4_000;

/** Why the runner counts a test as failed; its type definition does not have it. */
const failureType = (error: Error) => (error as Error & { failureType?: string }).failureType;

/** Of all engines, for the end of the report. */
const failures: Failure[] = [];

/** Runs the files in this order; whether all of them passed. */
async function runTests(
  engine: Engine,
  files: string[],
  url: string,
  { atOnce, write }: Manner,
): Promise<boolean> {
  const slow = files.some((file) => file.endsWith('.slow.test.ts'));
  const tests = run({
    files: files.map((file) => join(REPOSITORY, file)),
    cwd: REPOSITORY,
    env: { ...process.env, VAUBAN_TEST_DATABASE_URL: url },
    execArgv: [`--import=${join(REPOSITORY, 'test/support/no-leaks.ts')}`],
    concurrency: slow ? 1 : atOnce,
    timeout: slow ? SLOW_TEST_TIMEOUT : TEST_TIMEOUT,
    signal: interruption.signal,
  });
  let passed = true;
  const ended: { file: string; seconds: number }[] = [];
  const written = new Map<string, string>();
  tests.on('test:stderr', ({ file = '', message }) => {
    written.set(file, `${written.get(file) ?? ''}${message}`.slice(-KEPT_OF_STDERR));
  });
  tests.on('test:summary', ({ file, success, duration_ms }) => {
    passed &&= success;
    if (file) ended.push({ file, seconds: duration_ms / 1000 });
  });
  tests.on('test:fail', ({ name, file = '', line = 0, details: { error } }) => {
    // A group that failed for one of its tests says nothing that the test itself does not.
    if (failureType(error) === 'subtestsFailed') return;
    const message = name === file ? complaint(written.get(file)) : undefined;
    failures.push({ engine, name, file, line, message: message ?? error.message });
  });
  for await (const text of tests.compose(spec)) write(String(text));
  write(slowestFiles(ended));
  return passed && !interruption.signal.aborted;
}

/** Runs the files of one engine and says how long they took; whether all of them passed. */
async function runEngine(engine: Engine, url: string, files: string[], manner: Manner): Promise<boolean> {
  if (files.length === 0 || interruption.signal.aborted) return !interruption.signal.aborted;
  manner.write(`${engine}: ${files.length} files\n`);
  const start = performance.now();
  const passed = await runTests(engine, files, url, manner);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  manner.write(`${engine}: ${passed ? 'passed' : 'FAILED'} in ${seconds} s\n`);
  return passed;
}

/** Calls `use` with the PostgreSQL of the caller, or a private one of the installed programs at `bin`. */
async function withPostgres(
  bin: string | undefined,
  use: (url: string) => Promise<boolean>,
): Promise<boolean> {
  const given = process.env.VAUBAN_TEST_DATABASE_URL;
  if (given) return use(given);
  const server = await startPostgres(bin!);
  let passed = false;
  try {
    passed = await use(server.url);
  } finally {
    // The databases of failed tests were kept for a look at them.
    await server.stop(!passed && !interruption.signal.aborted && process.env.CI === undefined);
  }
  return passed;
}

/**
 * All files of both engines side by side. The embedded one's run a file at a time, and after them, in their place, as many of
 * the other's as keep all busy to the end; what these say is printed after the rest.
 */
async function runSideBySide(url: string, onPostgres: string[], onPglite: string[]): Promise<boolean> {
  const alone = onPostgres.filter((file) => file === ALONE);
  const rest = onPostgres.filter((file) => file !== ALONE);
  const { now = [], later = [] } = Object.groupBy(rest, (_, index) =>
    (index + 1) % LATER_EACH ? 'now' : 'later',
  );
  const first = await runEngine('postgres', url, alone, { atOnce: 1, write: print });
  const kept: string[] = [];
  const oneByOne: Manner = { atOnce: 1, write: (text) => kept.push(text) };
  const runOneByOne = async () => {
    const passed = await runEngine('pglite', '', onPglite, oneByOne);
    return (await runEngine('postgres', url, later, oneByOne)) && passed;
  };
  const both = await Promise.all([
    runEngine('postgres', url, now, { atOnce: AT_ONCE - 1, write: print }),
    runOneByOne(),
  ]);
  print(kept.join(''));
  return first && both.every(Boolean);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { db: { type: 'string' }, all: { type: 'boolean', default: false } },
});
if (values.db !== undefined && values.db !== 'pglite' && values.db !== 'postgres') {
  throw new Error('--db must be pglite or postgres');
}
const directory = temporaryDirectory();
if (directory) process.env.TMPDIR = directory;
// Each file is a process of its own and reads the same modules: compiled once, and again only where they changed.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'vauban-test-compile-cache');
/** All test files, the longest first. */
function everything(): string[] {
  const rank = (file: string) => (LONGEST.includes(file) ? LONGEST.indexOf(file) : LONGEST.length);
  return globSync('{test,server,vaubanctl}/**/*.test.ts', { cwd: REPOSITORY })
    .filter((file) => !file.endsWith('.slow.test.ts'))
    .sort()
    .sort((a, b) => rank(a) - rank(b));
}
/** The test files that a path names: itself, or all of a folder's. A name that is none must not pass for no failure. */
function named(path: string): string[] {
  const within = relative(REPOSITORY, path);
  if (within.endsWith('.ts')) return [within];
  const files = everything().filter((file) => file.startsWith(`${within}/`));
  if (files.length === 0) throw new Error(`${path} is neither a test file nor a folder of them`);
  return files;
}
const files = positionals.length > 0 ? positionals.flatMap(named) : everything();
const isParity = (file: string) =>
  values.all || positionals.length > 0 || PARITY.some((set) => file.startsWith(set));

const bin = findPostgres();
const hasPostgres = process.env.VAUBAN_TEST_DATABASE_URL !== undefined || bin !== undefined;
if (!hasPostgres && values.db === 'postgres') throw new Error('PostgreSQL is not installed');
if (!hasPostgres) console.log('PostgreSQL: not found; the suite runs on PGlite only');
const enough = hasPostgres || process.env.VAUBAN_REQUIRE_POSTGRES !== '1';
const onPostgres = files.filter((file) => positionals.length > 0 || file !== WATCHED);
const onPglite = hasPostgres ? files.filter((file) => isParity(file) && touchesDatabase(file)) : files;
const byItself: Manner = { atOnce: AT_ONCE, write: print };

async function runAll(): Promise<boolean> {
  if (!hasPostgres || values.db === 'pglite')
    return runEngine('pglite', '', values.db ? files : onPglite, byItself);
  return withPostgres(bin, async (url) => {
    if (values.db) return runEngine('postgres', url, onPostgres, byItself);
    if (positionals.length === 0) return runSideBySide(url, onPostgres, onPglite);
    const passed = await runEngine('postgres', url, onPostgres, byItself);
    return (await runEngine('pglite', '', onPglite, byItself)) && passed;
  });
}

process.exitCode = (await runAll()) && enough ? 0 : 1;
print(failedTests(failures));
