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
/** Not for data that anybody wants to keep: nothing waits for the disk. */
const VOLATILE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** A private server that lasts as long as a test run. */
export interface PostgresServer {
  /** By a Unix socket, where a round trip costs two thirds of what it does by TCP. */
  url: string;
  /** Sends a signal to the server's first process and waits for its end, so that no database is there. */
  breakDown(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Starts it again where it broke down. */
  startAgain(): Promise<void>;
  /** Ends the server and removes its data, or keeps them and says how to look at them. */
  stop(keep: boolean): Promise<void>;
}

function versionOf(bin: string): number {
  const text = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  return Number(/(\d+)/.exec(text)?.[1] ?? 0);
}

/**
 * The directory of the server's programs: VAUBAN_TEST_POSTGRES_BIN, else the newest one installed as Debian
 * does it, else what PATH holds. Undefined where there is none that is new enough.
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

/** The same database by TCP on this machine, for what stands between a service and its server. */
export function overTcp(url: string): URL {
  const address = new URL(url);
  if (address.hostname.startsWith('%2F')) address.hostname = '127.0.0.1';
  return address;
}

/** PostgreSQL refuses to run as root; then another user has to. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string, user: string) =>
    Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const user of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', user), gid: idOf('-g', user) };
    } catch {
      // No such user: the next one.
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
 * Starts a server of its own, on a free port of 127.0.0.1, that trusts everybody. It never syncs to disk, unless
 * it is to be `durable`: then it is as safe, and as fast, as one in production.
 */
export async function startPostgres(bin: string, { durable = false } = {}): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-postgres-'));
  const user = unprivilegedUser();
  if (user) chownSync(directory, user.uid, user.gid);
  // Services that run as users of their own come to the socket in it.
  chmodSync(directory, 0o711);
  const data = join(directory, 'data');
  const options = { ...user, cwd: directory, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  // A language's own sort order, as most servers have it, so that a query relying on byte order shows.
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
        // In a process group of its own: an interrupt from the terminal is for the runner, which then stops it.
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
        // What a killed server leaves running holds its memory for a moment, and with it the data.
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
        // At once where the data are thrown away, else with a checkpoint.
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
