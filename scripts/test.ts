// Runs the tests: all of them on PGlite, then those that touch a database again on a private PostgreSQL.
//   npm test                            everything
//   npm test -- test/db/engines.test.ts only these files
//   npm test -- --db postgres           on one engine only
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, globSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { findPostgres, startPostgres } from '../test/support/postgres-server.ts';
import { importsOf, REPOSITORY } from '../test/support/source.ts';

const DATABASE_SUPPORT = 'test/support/database.ts';
/** Far beyond what any test takes on any machine: one that has not ended by then waits for what will not happen. */
const TEST_TIMEOUT = 600_000;
/** The same for files whose name says that they are slow: they boot dozens of real machines, one file at a time. */
const SLOW_TEST_TIMEOUT = 3_600_000;

/**
 * These need a database to run, and try what is the same on each: once is enough, and they take long. The stories of the
 * acceptance suite run on PostgreSQL under test/db/lock-order.test.ts.
 */
const ON_ONE_ENGINE = [
  'test/acceptance/conformity.test.ts',
  'test/acceptance/prices.test.ts',
  'test/compute/simulator-inside/openssh.test.ts',
  'test/consoles/browser.test.ts',
  'test/consoles/share-bounds.test.ts',
  'test/docs/readme.test.ts',
  'test/openapi/served.test.ts',
  'test/operator/vaubanctl-host.test.ts',
  'test/proxies/behind-a-proxy.test.ts',
  'test/start/production.test.ts',
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

let running: ChildProcess | undefined;
let interrupted = false;

// Ends the tests and then, by the usual way out, the server that they used.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = true;
    running?.kill(signal);
  });
}

async function runTests(files: string[], env: Record<string, string>): Promise<boolean> {
  const slow = files.some((file) => file.endsWith('.slow.ts'));
  const concurrency = slow ? 1 : Math.max(2, availableParallelism());
  const options = [
    `--import=${join(REPOSITORY, 'test/support/no-leaks.ts')}`,
    '--test',
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${slow ? SLOW_TEST_TIMEOUT : TEST_TIMEOUT}`,
    ...['spec', join(REPOSITORY, 'test/support/slowest-files.ts')].flatMap((reporter) => [
      `--test-reporter=${reporter}`,
      '--test-reporter-destination=stdout',
    ]),
  ];
  running = spawn(process.execPath, [...options, ...files], {
    cwd: REPOSITORY,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  const [code] = await once(running, 'exit');
  return code === 0 && !interrupted;
}

async function runOnPostgres(files: string[]): Promise<boolean> {
  const given = process.env.VAUBAN_TEST_DATABASE_URL;
  if (given) return runTests(files, { VAUBAN_TEST_DATABASE_URL: given });
  const bin = findPostgres();
  if (!bin) {
    console.log('PostgreSQL: not found; the suite ran on PGlite only');
    return process.env.VAUBAN_REQUIRE_POSTGRES !== '1';
  }
  const server = await startPostgres(bin);
  let passed = false;
  try {
    passed = await runTests(files, { VAUBAN_TEST_DATABASE_URL: server.url });
  } finally {
    // The databases of failed tests were kept for a look at them.
    await server.stop(!passed && !interrupted && process.env.CI === undefined);
  }
  return passed;
}

async function timed(engine: Engine, files: string[], run: () => Promise<boolean>): Promise<boolean> {
  console.log(`${engine}: ${files.length} files`);
  const start = performance.now();
  const passed = await run();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${engine}: ${passed ? 'passed' : 'FAILED'} in ${seconds} s`);
  return passed;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { db: { type: 'string' } } });
if (values.db !== undefined && values.db !== 'pglite' && values.db !== 'postgres') {
  throw new Error('--db must be pglite or postgres');
}
const directory = temporaryDirectory();
if (directory) process.env.TMPDIR = directory;
// Each file is a process of its own and reads the same modules: compiled once, and again only where they changed.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'vauban-test-compile-cache');
const everything = () => globSync('{test,server,vaubanctl}/**/*.test.ts', { cwd: REPOSITORY }).sort();
/** The test files that a path names: itself, or all of a folder's. A name that is none must not pass for no failure. */
const named = (path: string) => {
  const within = relative(REPOSITORY, path);
  if (within.endsWith('.ts')) return [within];
  const files = everything().filter((file) => file.startsWith(`${within}/`));
  if (files.length === 0) throw new Error(`${path} is neither a test file nor a folder of them`);
  return files;
};
const files = positionals.length > 0 ? positionals.flatMap(named) : everything();
const databaseFiles = files.filter(
  (file) => touchesDatabase(file) && (positionals.length > 0 || !ON_ONE_ENGINE.includes(file)),
);

let passed = true;
if (values.db !== 'postgres') {
  passed = await timed('pglite', files, () => runTests(files, { VAUBAN_TEST_DATABASE_URL: '' }));
}
if (values.db !== 'pglite' && databaseFiles.length > 0 && !interrupted) {
  passed = (await timed('postgres', databaseFiles, () => runOnPostgres(databaseFiles))) && passed;
}
process.exitCode = passed ? 0 : 1;
