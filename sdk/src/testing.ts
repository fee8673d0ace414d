import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, createClient } from './client.ts';
import type { ClientOptions } from './options.ts';

/** Starting takes a second or two; the rest is margin for a busy machine. */
const START_TIMEOUT_MS = 120_000;
/** Lines of output to include in the error of a failed start. */
const OUTPUT_LINES = 50;

export interface FakeVaubanOptions {
  /** The directory of Vauban with its packages installed; `VAUBAN_SERVER` from the environment by default. */
  server?: string;
  /** Settings of the service by name, such as `VAUBAN_SIMULATOR_BOOT_SECONDS`. */
  env?: Record<string, string>;
  /** Options of the client, such as `onAttempt` or a `fetch` that fails. */
  client?: Omit<ClientOptions, 'baseUrl' | 'apiKey'>;
}

export interface FakeVauban extends AsyncDisposable {
  /** A client with `apiKey` for `baseUrl`. */
  client: Client;
  /** Such as `http://127.0.0.1:41234`. */
  baseUrl: string;
  /** A key with all scopes, of an account with money. */
  apiKey: string;
  /** Stops the service and deletes its data; a second call does nothing. */
  stop(): Promise<void>;
}

/**
 * Starts the real service on simulated hosts, in its own process and temporary directory: money, jobs, limits and
 * errors are the real ones. Rejects with the service's output if it does not start.
 */
export async function fakeVauban(options: FakeVaubanOptions = {}): Promise<FakeVauban> {
  const server = options.server ?? process.env.VAUBAN_SERVER;
  if (!server) throw new TypeError('fakeVauban: set the directory of Vauban with `server` or VAUBAN_SERVER');
  const entry = resolve(server, 'server/start.mjs');
  if (!existsSync(entry)) throw new TypeError(`fakeVauban: ${server} is not a directory of Vauban`);
  const dataDir = await mkdtemp(join(tmpdir(), 'vauban-fake-'));
  const child = spawn(nodeOf(server), [entry], {
    cwd: server,
    env: environment(dataDir, options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // If the test process exits, the service must not keep running.
  const endWithTest = () => void child.kill('SIGKILL');
  process.once('exit', endWithTest);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
    process.off('exit', endWithTest);
    await rm(dataDir, { recursive: true, force: true });
  };
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= end());
  try {
    const { baseUrl, apiKey } = await untilReady(child);
    const client = createClient({ ...options.client, baseUrl, apiKey });
    return { client, baseUrl, apiKey, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    child.kill('SIGKILL');
    await stop();
    throw error;
  }
}

/** Returns the Node that is installed with the service, which needs a newer version than this package. */
function nodeOf(server: string): string {
  const own = resolve(server, 'node_modules/.bin/node');
  return existsSync(own) ? own : process.execPath;
}

function environment(dataDir: string, settings: Record<string, string> = {}): NodeJS.ProcessEnv {
  // Settings in the developer's shell must not affect a test.
  const { PATH, HOME, TMPDIR } = process.env;
  const listen = { VAUBAN_LISTEN: '127.0.0.1:0', VAUBAN_COMPUTE: 'simulator', VAUBAN_EDGE: 'simulator' };
  return { PATH, HOME, TMPDIR, ...listen, ...settings, VAUBAN_DATA_DIR: dataDir };
}

/** Reads the log until it contains the address and the demo account's key. */
function untilReady(child: ChildProcess): Promise<Pick<FakeVauban, 'baseUrl' | 'apiKey'>> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const fail = (what: string) => reject(new Error(`fakeVauban: the service ${what}\n${lines.join('\n')}`));
    const timer = setTimeout(fail, START_TIMEOUT_MS, 'does not start');
    const found: { address?: string; demo_key?: string } = {};
    for (const stream of [child.stdout!, child.stderr!])
      createInterface({ input: stream }).on('line', (line) => {
        if (lines.push(line) > OUTPUT_LINES) lines.shift();
        if (/^\{.*"(listening|demo key)"/.test(line)) Object.assign(found, JSON.parse(line));
        if (found.address && found.demo_key) {
          clearTimeout(timer);
          resolve({ baseUrl: found.address, apiKey: found.demo_key });
        }
      });
    child.once('error', reject);
    // May follow an error event.
    child.once('close', () => {
      clearTimeout(timer);
      fail('ended before it listened');
    });
  });
}
