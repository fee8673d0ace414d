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
/** The service's own start takes under a second; this much is for a busy machine. */
const START_TIMEOUT = 120_000;
/** A stopping service lets work under way finish; one that takes longer than this hangs. */
const STOP_TIMEOUT = 60_000;
/** With RECORD_LOCKS, the file to write, the service is one whose transactions are watched (test/db/lock-order.full.test.ts). */
const ENTRY = process.env.RECORD_LOCKS ? 'test/db/support/recording-service.ts' : 'server/start.mjs';
/** Output kept for the report of a failed test; more only buries the cause. */
const OUTPUT_LINES = 200;

export interface ServiceOptions {
  /** Added to the environment: settings of the service. */
  env?: Record<string, string>;
  /** Where its state is; a fresh, migrated place when absent. Give the same one to start it again. */
  location?: DatabaseLocation;
  /** The program, relative to the repository. */
  entry?: string;
  /** The Node that runs it; the test's own when absent. */
  node?: string;
  /** Where it runs: for one that changes the machine's network. Nothing outside it reaches the service. */
  namespace?: Pick<Namespace, 'command'>;
}

/**
 * Settings of a service in production. It must know its address before it has one, so it gets one that no process of
 * this machine has but by a chance of one in millions. The simulator is named, because production takes none by itself.
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

/** A running service process. */
export interface Service {
  /** Such as `http://127.0.0.1:41234`, without a slash at the end. */
  baseUrl: string;
  /** The key that a first start in demo mode prints. */
  demoKey: string | undefined;
  location: DatabaseLocation;
  /** The operator's Unix socket. */
  operatorSocket: string;
  pid: number;
  /** What it has written so far, standard output and error together. */
  output(): string;
  /** SIGTERM, and waits for the end. Fails when it does not end by itself or ends with an error. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would be, and waits for the end. */
  kill(): Promise<void>;
}

interface Ready {
  address: string;
  demoKey: string | undefined;
  output(): string;
}

/** Reads the child's output: hands each line to `onLine` and keeps the last ones. */
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

/** What a line of the log says of the start: the demo account's key, or the address where the service listens. */
function startOf(line: string): { msg?: string; address?: string; demo_key?: string } {
  return /^\{.*"(listening|demo key)"/.test(line) ? JSON.parse(line) : {};
}

function environment(location: DatabaseLocation, extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  // Only what a program needs to run: a setting in the developer's own shell must not change a test.
  const { PATH, HOME, TMPDIR, RECORD_LOCKS } = process.env;
  const listen = { VAUBAN_LISTEN: '127.0.0.1:0' };
  return { PATH, HOME, TMPDIR, ...(RECORD_LOCKS && { RECORD_LOCKS }), ...listen, ...location.env, ...extra };
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

/** Sends `signal` and waits; throws where the process had ended before, does not end, or ends with an error. */
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

/** Waits until the process listens; throws with what it wrote when it does not. */
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
 * Starts the service as a process of its own on a free port and waits until it listens. It is stopped when
 * the test ends; should it have ended by itself before that, the test fails with what it wrote.
 */
export async function startService(t: TestContext, options: ServiceOptions = {}): Promise<Service> {
  const location = options.location ?? (await freshDatabaseLocation(t));
  const words = [options.node ?? process.execPath, options.entry ?? ENTRY] as const;
  const [program, args] = options.namespace?.command(...words) ?? [words[0], [words[1]]];
  const child = spawn(program, args, {
    cwd: REPOSITORY,
    env: environment(location, options.env),
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
