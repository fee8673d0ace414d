import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** The oldest server that the product supports. */
const OLDEST_VERSION = 15;
const START_TIMEOUT = 120_000;
/** Only for data that no one needs: nothing waits for the disk. */
const VOLATILE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** A private server for one test run. */
export interface PostgresServer {
  /** A Unix socket, on which a round trip takes two thirds of the time of TCP. */
  url: string;
  /** Sends a signal to the server's main process and waits for its end, so that no database is available. */
  breakDown(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Restarts the server after {@link breakDown}. */
  startAgain(): Promise<void>;
  /** Stops the server. Removes its data, or keeps them and prints how to inspect them. */
  stop(keep: boolean): Promise<void>;
}

function versionOf(bin: string): number {
  const text = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  return Number(/(\d+)/.exec(text)?.[1] ?? 0);
}

/**
 * Returns the directory of the server's programs: VAUBAN_TEST_POSTGRES_BIN, or the newest one in Debian's location, or
 * the one on PATH. Undefined if none is new enough.
 */
export function findPostgres(): string | undefined {
  const given = process.env.VAUBAN_TEST_POSTGRES_BIN;
  const candidates = given
    ? [given]
    : [
        ...globSync('/usr/lib/postgresql/*/bin').sort(
          (a, b) => Number(basename(dirname(b))) - Number(basename(dirname(a))),
        ),
        ...(process.env.PATH ?? '').split(delimiter),
      ];
  return candidates.find(
    (bin) =>
      existsSync(join(bin, 'initdb')) &&
      existsSync(join(bin, 'postgres')) &&
      versionOf(bin) >= OLDEST_VERSION,
  );
}

/** Returns the URL of the same database over local TCP, for proxies between a service and its server. */
export function overTcp(url: string): URL {
  const address = new URL(url);
  if (address.hostname.startsWith('%2F')) address.hostname = '127.0.0.1';
  return address;
}

/** Returns an unprivileged user if this process is root: PostgreSQL refuses to run as root. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string, user: string) =>
    Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const user of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', user), gid: idOf('-g', user) };
    } catch {
      // No such user: try the next one.
    }
  }
  throw new Error('there is no unprivileged user to run PostgreSQL as');
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

async function untilReady(server: ChildProcess): Promise<void> {
  const ready = Promise.withResolvers<void>();
  const lines: string[] = [];
  createInterface({ input: server.stderr! }).on('line', (line) => {
    if (line.includes('ready to accept connections')) ready.resolve();
    else lines.push(line);
  });
  const fail = () => ready.reject(new Error(`PostgreSQL does not start\n${lines.join('\n')}`));
  server.once('error', ready.reject);
  server.once('close', fail);
  const timer = setTimeout(fail, START_TIMEOUT);
  await ready.promise.finally(() => clearTimeout(timer));
  server.stderr!.resume();
}

/**
 * Starts a private server on a free port of 127.0.0.1 that trusts everyone. By default it never syncs to disk; a
 * `durable` one is as safe and as fast as in production.
 */
export async function startPostgres(bin: string, { durable = false } = {}): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-postgres-'));
  const user = unprivilegedUser();
  if (user) chownSync(directory, user.uid, user.gid);
  // Services that run as other users connect to the socket in this directory.
  chmodSync(directory, 0o711);
  const data = join(directory, 'data');
  const options = { ...user, cwd: directory, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  // A language's sort order, as on most servers, so that a query that relies on byte order is noticed.
  const locale = ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US'];
  const initdb = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', ...locale];
  try {
    execFileSync(join(bin, 'initdb'), initdb, { ...options, stdio: 'pipe' });
    const port = await freePort();
    const settings = [
      ...(durable ? [] : VOLATILE),
      'max_connections=300',
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      `unix_socket_directories=${directory}`,
    ].flatMap((setting) => ['-c', setting]);
    const start = () =>
      spawn(join(bin, 'postgres'), ['-D', data, ...settings], {
        ...options,
        // In a separate process group: an interrupt from the terminal is meant for the runner, which then stops the
        // server.
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    let server = start();
    await untilReady(server);
    return {
      url: `postgres://postgres@${encodeURIComponent(directory)}:${port}/postgres`,
      async breakDown(signal) {
        const exit = once(server, 'exit');
        server.kill(signal);
        await exit;
      },
      async startAgain() {
        // Processes left by a killed server hold its shared memory, and with it the data, for a moment.
        for (let attempt = 1; ; attempt++) {
          server = start();
          try {
            return await untilReady(server);
          } catch (error) {
            if (attempt === 100) throw error;
            await sleep(100);
          }
        }
      },
      async stop(keep) {
        const exit = once(server, 'exit');
        // Immediately if the data are discarded; otherwise with a checkpoint.
        const running = server.exitCode === null && server.signalCode === null;
        if (running && server.kill(keep ? 'SIGINT' : 'SIGQUIT')) await exit;
        if (keep)
          console.log(
            `PostgreSQL: kept; start it with ${bin}/postgres -D ${data} -p ${port} -k ${directory}`,
          );
        else rmSync(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}
