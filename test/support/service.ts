import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Namespace } from '../compute/routed/support/namespace.ts';
import { defer } from './cleanup.ts';
import { type DatabaseLocation, freshDatabaseLocation } from './database.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
/** The service starts in less than a second; the rest is margin for a busy machine. */
const START_TIMEOUT = 120_000;
/** A stopping service lets current work finish; one that takes longer than this hangs. */
const STOP_TIMEOUT = 60_000;
/**
 * If RECORD_LOCKS names a file to write, transactions of the service are recorded (test/db/lock-order.full.test.ts).
 */
const ENTRY = process.env.RECORD_LOCKS ? 'test/db/support/recording-service.ts' : 'server/start.mjs';
/** The compile cache of entries that set none up: with it, loading the service takes half the processor time. */
const COMPILED = join(REPOSITORY, 'node_modules/.cache/vauban-test/compiled');
/** Lines of output kept for the report of a failed test; more would only bury the cause. */
const OUTPUT_LINES = 200;

export interface ServiceOptions {
  /** Additional environment variables: settings of the service. */
  env?: Record<string, string>;
  /** The location of the state; a new, migrated one by default. Pass the same one to restart the service. */
  location?: DatabaseLocation;
  /** The program, relative to the repository. */
  entry?: string;
  /** The Node that runs it; the test's own by default. */
  node?: string;
  /**
   * The network namespace in which the service runs, for a service that changes the network. Nothing outside of it can
   * reach the service.
   */
  namespace?: Pick<Namespace, 'command'>;
}

/**
 * Settings of a service in production. It must know its address before it listens, so it gets a random one, which
 * collides with another process only once in millions. The simulator is named because production has no default engine.
 */
export function production(): Record<string, string> {
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}:8080`;
  return {
    VAUBAN_MODE: 'production',
    VAUBAN_LISTEN: address,
    VAUBAN_PUBLIC_URL: `http://${address}`,
    VAUBAN_COMPUTE: 'simulator',
    VAUBAN_EDGE: 'simulator',
  };
}

export interface Service {
  /** Such as `http://127.0.0.1:41234`, without a trailing slash. */
  baseUrl: string;
  /** The key that the first start in demo mode prints. */
  demoKey: string | undefined;
  location: DatabaseLocation;
  operatorSocket: string;
  pid: number;
  /** Returns the output so far, standard output and error together. */
  output(): string;
  /** Sends SIGTERM and waits for the end. Rejects if the service does not end or exits with an error. */
  stop(): Promise<void>;
  /** Sends SIGKILL, like a crash, and waits for the end. */
  kill(): Promise<void>;
}

interface Ready {
  address: string;
  demoKey: string | undefined;
  output(): string;
}

/** Reads the child's output, passes each line to `onLine` and keeps the last ones. */
function collect(child: ChildProcess, onLine: (line: string) => void): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream! }).on('line', (line) => {
      lines.push(line);
      if (lines.length > OUTPUT_LINES) lines.shift();
      onLine(line);
    });
  }
  return lines;
}

/** Parses a log line about the start: the demo account's key, or the address on which the service listens. */
function startOf(line: string): { msg?: string; address?: string; demo_key?: string } {
  return /^\{.*"(listening|demo key)"/.test(line) ? JSON.parse(line) : {};
}

function environment(
  location: DatabaseLocation,
  entry: string,
  extra: Record<string, string> = {},
): NodeJS.ProcessEnv {
  // Only what a program needs to run: a setting in the developer's shell must not affect a test.
  const { PATH, HOME, TMPDIR, RECORD_LOCKS } = process.env;
  const listen = { VAUBAN_LISTEN: '127.0.0.1:0' };
  return {
    ...{ PATH, HOME, TMPDIR, ...listen },
    ...(RECORD_LOCKS && { RECORD_LOCKS }),
    // The service's own entry sets up another one.
    ...(!entry.endsWith('server/start.mjs') && { NODE_COMPILE_CACHE: COMPILED }),
    ...location.env,
    ...extra,
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function endsWithin(child: ChildProcess, ms: number): Promise<boolean> {
  if (!isRunning(child)) return true;
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([once(child, 'exit').then(() => true), late]);
  timer.abort();
  return inTime;
}

/** Sends `signal` and waits. Throws if the process had already ended, does not end, or exits with an error. */
async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL', output: () => string): Promise<void> {
  const failure = (what: string) => new Error(`the service ${what}\n${output()}`);
  if (!isRunning(child)) throw failure(`ended by itself with ${child.exitCode ?? child.signalCode}`);
  child.kill(signal);
  if (!(await endsWithin(child, STOP_TIMEOUT))) {
    child.kill('SIGKILL');
    throw failure('did not stop');
  }
  if (signal === 'SIGTERM' && child.exitCode !== 0) {
    throw failure(`stopped with ${child.exitCode ?? child.signalCode}`);
  }
}

/** Waits until the process listens; throws with its output if it does not. */
async function untilReady(child: ChildProcess): Promise<Ready> {
  const ready = Promise.withResolvers<{ address: string; demoKey: string | undefined }>();
  let demoKey: string | undefined;
  const lines = collect(child, (line) => {
    const { msg, address, demo_key } = startOf(line);
    demoKey ??= demo_key;
    if (msg === 'listening' && address) ready.resolve({ address, demoKey });
  });
  const output = () => lines.join('\n');
  const fail = (what: string) => ready.reject(new Error(`the service ${what}\n${output()}`));
  child.once('error', ready.reject);
  child.once('close', () => fail('ended before it listened'));
  const timer = setTimeout(() => fail('does not start'), START_TIMEOUT);
  return { ...(await ready.promise.finally(() => clearTimeout(timer))), output };
}

/**
 * Starts the service as a separate process on a free port and waits until it listens. It is stopped when the test ends;
 * if it has ended before that, the test fails with its output.
 */
export async function startService(t: TestContext, options: ServiceOptions = {}): Promise<Service> {
  const location = options.location ?? (await freshDatabaseLocation(t));
  const entry = options.entry ?? ENTRY;
  const words = [options.node ?? process.execPath, entry] as const;
  const [program, args] = options.namespace?.command(...words) ?? [words[0], [words[1]]];
  const child = spawn(program, args, {
    cwd: REPOSITORY,
    env: environment(location, entry, options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let over = false;
  let output = () => '';
  const endOnce = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (over) return;
    over = true;
    await end(child, signal, output);
  };
  defer(t, () => endOnce('SIGTERM'));
  const ready = await untilReady(child);
  output = ready.output;
  return {
    baseUrl: ready.address,
    demoKey: ready.demoKey,
    location,
    operatorSocket: join(location.env.VAUBAN_DATA_DIR, 'vauban.sock'),
    pid: child.pid!,
    output,
    stop: () => endOnce('SIGTERM'),
    kill: () => endOnce('SIGKILL'),
  };
}
