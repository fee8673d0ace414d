import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../package.json' with { type: 'json' };
import type { Place } from './bench.ts';

const REPOSITORY = join(import.meta.dirname, '..');
const START_TIMEOUT = 60_000;
/** Interval at which a starting process is polled; short compared with the fastest start, a few hundred milliseconds. */
const POLL_MS = 5;

const SERVICE = 'server/start.mjs';
/** Node's options, as `npm start` passes them. */
const [, ...NODE_OPTIONS] = packageJson.scripts.start.replace(SERVICE, '').trim().split(/ +/);

/** Limits that never refuse. */
const UNLIMITED = { VAUBAN_RATE_LIMIT_KEY: '10000000', VAUBAN_RATE_LIMIT_ACCOUNT: '10000000' };

/** Production uses a simulator only if it is named. */
const PRODUCTION = { VAUBAN_MODE: 'production', VAUBAN_COMPUTE: 'simulator', VAUBAN_EDGE: 'simulator' };

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** A process that serves HTTP on a port of 127.0.0.1; stopped when it goes out of scope. */
export interface Server extends AsyncDisposable {
  port: number;
  child: ChildProcess;
}

interface Program {
  script: string;
  env: object;
  /** Drops its standard output, or makes it readable. */
  output?: 'ignore' | 'pipe';
}

/** Starts a program of the repository on a free port; it is not ready yet. */
async function launch({ script, env, output = 'ignore' }: Program): Promise<Server> {
  const port = await freePort();
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [...NODE_OPTIONS, script], {
    cwd: REPOSITORY,
    env: {
      PATH,
      HOME,
      TMPDIR,
      ...env,
      VAUBAN_LISTEN: `127.0.0.1:${port}`,
      VAUBAN_PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
    stdio: ['ignore', output, 'inherit'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return { port, child, [Symbol.asyncDispose]: () => stop(child) };
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

async function stop(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

/** Resolves once a path is answered with 200. */
export async function untilAnswered({ port, child }: Server, path: string, key?: string): Promise<void> {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const giveUpAt = performance.now() + START_TIMEOUT;
  // A request that finds no listener takes far more CPU time than a connection, from us and therefore from the starting
  // process.
  await untilListening(port, child);
  while (performance.now() < giveUpAt && isRunning(child)) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await sleep(POLL_MS);
  }
  throw new Error(`${child.spawnargs.join(' ')}: no 200 for ${path}`);
}

/** Resolves once a started program accepts connections on a port of 127.0.0.1. */
export async function untilListening(port: number, child: ChildProcess): Promise<void> {
  while (isRunning(child)) {
    const socket = connect(port, '127.0.0.1');
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (open) return;
    await sleep(POLL_MS);
  }
  throw new Error(`${child.spawnargs.join(' ')}: nothing listens`);
}

async function serve(program: Program): Promise<Server> {
  const server = await launch(program);
  await untilAnswered(server, '/readyz');
  return server;
}

/** Starts the service as an operator does for the first time; it is not ready yet. The caller must read its output. */
export function launchService(place: Place): Promise<Server> {
  return launch({ script: SERVICE, env: place, output: 'pipe' });
}

/**
 * Starts the service as in production: every request is logged (to /dev/null, at the default level) and counted against
 * its limits, which are raised so that they never refuse.
 */
export function startService(place: Place, settings: Record<string, string> = {}): Promise<Server> {
  return serve({ script: SERVICE, env: { ...place, ...PRODUCTION, ...UNLIMITED, ...settings } });
}

/** Starts the same for VMs that are stored without guests, which it does not look for. */
export function startHeldService(place: Place): Promise<Server> {
  return serve({ script: 'bench/held-service.ts', env: { ...place, ...PRODUCTION, ...UNLIMITED } });
}

/** Returns the milliseconds that a process takes to open the database of a place and exit. */
export async function openBareEngine(place: Place): Promise<number> {
  const startedAt = performance.now();
  const { child } = await launch({ script: 'bench/bare-engine.ts', env: place });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`bench/bare-engine.ts ended with ${status}`);
  return performance.now() - startedAt;
}

/** Starts the service with the server on a Unix socket as the screen of its guests. */
export function startScreenService(place: Place, screen: string): Promise<Server> {
  const env = { ...place, ...UNLIMITED, ...PRODUCTION, BENCH_SCREEN: screen };
  return serve({ script: 'bench/screen-service.ts', env });
}

/** Starts the service with an SSH server of the bench as port 22 of its guests. */
export function startShellService(place: Place, settings: Record<string, string> = {}): Promise<Server> {
  const env = { ...place, ...UNLIMITED, ...PRODUCTION, ...settings };
  return serve({ script: 'bench/shell-service.ts', env });
}

export function startBareRoute(place: Place, accountId: string): Promise<Server> {
  return serve({ script: 'bench/bare-route.ts', env: { ...place, BENCH_ACCOUNT: accountId } });
}

export function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
  return Number(kib) / 1024;
}
