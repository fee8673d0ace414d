import { join } from 'node:path';
import { run } from 'node:test';
import { REPOSITORY } from '../../test/support/source.ts';
import type { Engine } from './tiers.ts';

/**
 * Longer than any test takes on any machine: a test that is still running by then waits for something that will never
 * happen.
 */
const TIMEOUT = 1_800_000;
/** The same for slow files, some of which boot dozens of real guests. */
const SLOW_TIMEOUT = 7_200_000;
/** Characters kept of the end of a file's output, for a failure report. */
const KEPT_OUTPUT = 4_000;

const TOGETHER = join(import.meta.dirname, 'together.ts');
const NO_LEAKS = join(REPOSITORY, 'test/support/no-leaks.ts');
/** The runner's totals at the end of a process. */
const TOTALS = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

export interface Failure {
  name: string;
  file: string;
  line: number;
  error: Error;
}

/** A finished test, shown in runs of few files. */
export interface Ended {
  name: string;
  nesting: number;
  outcome: 'passed' | 'failed' | 'skipped';
  milliseconds: number;
}

/** Result of one file on one engine. */
export interface FileResult {
  file: string;
  engine: Engine;
  seconds: number;
  passed: number;
  /** The reasons for skipped tests, one for each test. */
  skipped: string[];
  failures: Failure[];
  tests: Ended[];
  diagnostics: string[];
  output: string;
}

/** Files that run in one process, on one engine. */
export interface Batch {
  files: string[];
  engine: Engine;
}

export interface RunOptions {
  databaseUrl: string;
  deep: boolean;
  slow: boolean;
  signal: AbortSignal;
}

type TestError = Error & { failureType?: string };

/** Returns the reason for a skipped test; `skip` is a text, or true if there is no reason. */
function reasonOf(skip: string | boolean | undefined): string | undefined {
  if (skip === undefined || skip === false) return undefined;
  return typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
}

/**
 * Searches a file's output for the reason why it failed outside its tests: the first error or leak, and the lines after
 * it.
 */
export function complaint(output: string): string | undefined {
  return /^(?:\w*Error|leak): .*/ms.exec(output)?.[0];
}

/** Assigns the events of a process to the results of its files. */
class Collector {
  readonly #batch: Batch;
  readonly #onFile: (result: FileResult) => void;
  #done = 0;
  #current: FileResult;
  readonly #start = performance.now();

  constructor(batch: Batch, onFile: (result: FileResult) => void) {
    this.#batch = batch;
    this.#onFile = onFile;
    this.#current = this.#begin();
  }

  passed({ name, nesting, details, skip }: Pass): void {
    if (this.#isFile(name, nesting)) {
      this.#end(details.duration_ms);
      return;
    }
    // The runner reports a process with a single file without tests as a test.
    if (nesting === 0 && name === join(REPOSITORY, this.#current.file)) return;
    if (details.type === 'suite') return;
    const reason = reasonOf(skip);
    if (reason === undefined) this.#current.passed += 1;
    else this.#current.skipped.push(reason);
    this.#list({ name, nesting, details }, reason === undefined ? 'passed' : 'skipped');
  }

  failed({ name, nesting, file = '', line = 0, details }: Fail): void {
    const error: TestError = details.error;
    const isFile = this.#isFile(name, nesting);
    // The failure of a group because of one of its tests adds nothing to that test's own failure.
    if (error.failureType !== 'subtestsFailed') {
      const reason = isFile || name === file ? complaint(this.#current.output) : undefined;
      const cause = error.cause instanceof Error ? error.cause : error;
      this.#current.failures.push({ name, file, line, error: reason ? new Error(reason) : cause });
    }
    if (isFile) this.#end(details.duration_ms);
    else this.#list({ name, nesting, details }, 'failed');
  }

  wrote(text: string): void {
    this.#current.output = `${this.#current.output}${text}`.slice(-KEPT_OUTPUT);
  }

  said(message: string): void {
    if (!TOTALS.test(message)) this.#current.diagnostics.push(message);
  }

  /**
   * Called when the process has ended. A failure outside any test, such as a leak, is attributed to the file that was
   * running.
   */
  over(success: boolean): void {
    const duration = performance.now() - this.#start;
    const { failures } = this.#current;
    const unfinished = this.#done < this.#batch.files.length;
    if (unfinished && !success && failures.length === 0) failures.push(this.#unexplained());
    if (unfinished || failures.length > 0) this.#end(duration);
    while (this.#done < this.#batch.files.length) {
      this.#current.failures.push(this.#failure('was not run: its process had ended before'));
      this.#end(0);
    }
  }

  /** In a process with several files, each file is a test named by its path. */
  #isFile(name: string, nesting: number): boolean {
    return nesting === 0 && this.#batch.files.length > 1 && name === join(REPOSITORY, this.#current.file);
  }

  #list({ name, nesting, details }: Pass, outcome: Ended['outcome']): void {
    const within = this.#batch.files.length > 1 ? nesting - 1 : nesting;
    this.#current.tests.push({ name, nesting: within, outcome, milliseconds: details.duration_ms });
  }

  #begin(): FileResult {
    const file = this.#batch.files[this.#done] ?? this.#batch.files.at(-1)!;
    const { engine } = this.#batch;
    const empty = { passed: 0, skipped: [], failures: [], tests: [], diagnostics: [], output: '' };
    return { file, engine, seconds: 0, ...empty };
  }

  #unexplained(): Failure {
    return this.#failure(complaint(this.#current.output) ?? 'the process ended before its tests had');
  }

  /** Returns a failure of the file as a whole. */
  #failure(reason: string): Failure {
    const { file } = this.#current;
    return { name: file, file: join(REPOSITORY, file), line: 1, error: new Error(reason) };
  }

  #end(milliseconds: number): void {
    const { passed, skipped, failures } = this.#current;
    if (passed + skipped.length + failures.length === 0) failures.push(this.#failure('it has no tests'));
    this.#current.seconds = milliseconds / 1000;
    this.#onFile(this.#current);
    this.#done += 1;
    this.#current = this.#begin();
  }
}

interface Pass {
  name: string;
  nesting: number;
  details: { duration_ms: number; type?: string };
  skip?: string | boolean;
}

interface Fail extends Pass {
  file?: string;
  line?: number;
  details: { duration_ms: number; type?: string; error: Error };
}

/** Runs a batch in a separate process, and calls `onFile` after each file. */
export async function runBatch(
  batch: Batch,
  options: RunOptions,
  onFile: (result: FileResult) => void,
): Promise<void> {
  const paths = batch.files.map((file) => join(REPOSITORY, file));
  const single = paths.length === 1;
  const events = run({
    files: single ? paths : [TOGETHER],
    cwd: REPOSITORY,
    env: {
      ...process.env,
      VAUBAN_TEST_DATABASE_URL: batch.engine === 'postgres' ? options.databaseUrl : '',
      ...(options.deep && { VAUBAN_TEST_DEPTH: 'deep' }),
      ...(!single && { VAUBAN_TEST_FILES: JSON.stringify(paths) }),
    },
    execArgv: [`--import=${NO_LEAKS}`],
    concurrency: 1,
    timeout: options.slow ? SLOW_TIMEOUT : TIMEOUT,
    signal: options.signal,
  });
  const collector = new Collector(batch, onFile);
  let success = true;
  events.on('test:pass', (event) => collector.passed(event));
  events.on('test:fail', (event) => collector.failed(event));
  events.on('test:stdout', ({ message }) => collector.wrote(message));
  events.on('test:stderr', ({ message }) => collector.wrote(message));
  events.on('test:diagnostic', ({ message }) => collector.said(message));
  events.on('test:summary', (event) => {
    success &&= event.success;
  });
  for await (const _ of events);
  collector.over(success);
}
