import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defer, type Lifetime } from './cleanup.ts';
import { findPostgres, freePort, unprivilegedUser } from './postgres-server.ts';

const MEMBERS = ['a', 'b', 'c'];
const LOOK_MS = 100;
/** The others wait this many seconds for a silent member: the minimum of Patroni. */
const TTL = 7;

const onPath = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, program)));

/** Returns why no cluster can be started here, or false. Throws instead if VAUBAN_REQUIRE_PATRONI is 1. */
export function skipWithoutPatroni(): string | false {
  const missing = ['patroni', 'etcd'].filter((program) => !onPath(program));
  if (findPostgres() === undefined) missing.push('PostgreSQL');
  if (missing.length === 0) return false;
  const reason = `not installed: ${missing.join(', ')}`;
  if (process.env.VAUBAN_REQUIRE_PATRONI === '1') throw new Error(reason);
  return reason;
}

interface Member {
  name: string;
  port: number;
  rest: number;
  data: string;
  patroni: ChildProcess;
}

/** Three PostgreSQL servers under Patroni. One accepts writes, and one of the others confirms each of them. */
export class PatroniCluster {
  readonly #directory: string;
  readonly #members: Member[] = [];
  readonly #user = unprivilegedUser();
  #etcd: { port: number; process: ChildProcess } | undefined;

  static async start(t: Lifetime): Promise<PatroniCluster> {
    const cluster = new PatroniCluster();
    defer(t, () => cluster.#stop());
    await cluster.#start();
    return cluster;
  }

  private constructor() {
    this.#directory = mkdtempSync(join(tmpdir(), 'vauban-patroni-'));
    chmodSync(this.#directory, 0o711);
    if (this.#user) chownSync(this.#directory, this.#user.uid, this.#user.gid);
  }

  /** Returns the URL of a database with all members, as configured for the service. */
  url(database: string): string {
    const hosts = this.#members.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write`;
  }

  /** Kills the primary, as a power cut would. Returns its name. */
  async killPrimary(): Promise<string> {
    // Without a confirming standby none could take over, because acknowledged writes must not be lost.
    await this.#untilConfirming();
    const primary = await this.#primary();
    const exit = once(primary.patroni, 'exit');
    // First Patroni, which would restart the server.
    primary.patroni.kill('SIGKILL');
    await exit;
    const pid = pidOf(primary);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    return primary.name;
  }

  /** Starts a member that was killed, and waits until it is a standby. */
  async revive(name: string): Promise<void> {
    const member = this.#members.find((one) => one.name === name)!;
    member.patroni = this.#spawn('patroni', [this.#configOf(member)], member.name);
    await this.#until(async () => (await this.#roleOf(member)) !== undefined);
    await this.#untilConfirming();
  }

  async #start(): Promise<void> {
    const etcd = { port: await freePort(), peer: await freePort() };
    const client = `http://127.0.0.1:${etcd.port}`;
    const peer = `http://127.0.0.1:${etcd.peer}`;
    const args = {
      name: 'etcd',
      'data-dir': join(this.#directory, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `etcd=${peer}`,
      'log-level': 'error',
    };
    const process = this.#spawn(
      'etcd',
      Object.entries(args).map(([name, value]) => `--${name}=${value}`),
      'etcd',
    );
    this.#etcd = { port: etcd.port, process };
    await this.#until(async () => (await fetch(`${client}/health`)).ok);
    for (const name of MEMBERS) {
      const data = join(this.#directory, name);
      const member = { name, port: await freePort(), rest: await freePort(), data };
      const patroni = this.#spawn('patroni', [this.#configOf(member)], name);
      this.#members.push({ ...member, patroni });
      // The first member is the primary that the others copy.
      if (name === MEMBERS[0]) await this.#until(async () => (await this.#roles()).includes('primary'));
    }
    await this.#until(async () => (await this.#roles()).every((role) => role !== undefined));
  }

  #untilConfirming(): Promise<void> {
    return this.#until(async () => (await this.#roles()).includes('sync_standby'));
  }

  #configOf({ name, port, rest, data }: Omit<Member, 'patroni'>): string {
    const login = (username: string) => ({ username, password: 'of a test' });
    const config = {
      scope: 'vauban',
      name,
      restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
      etcd3: { host: `127.0.0.1:${this.#etcd!.port}` },
      bootstrap: {
        // Acknowledged writes are on two members.
        dcs: { ttl: TTL, loop_wait: 1, retry_timeout: 3, synchronous_mode: true },
        initdb: [{ encoding: 'UTF8' }, { auth: 'trust' }, 'no-sync', 'data-checksums'],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        bin_dir: findPostgres(),
        data_dir: data,
        pgpass: join(this.#directory, `${name}.pgpass`),
        use_pg_rewind: true,
        basebackup: [{ checkpoint: 'fast' }],
        authentication: { superuser: login('postgres'), replication: login('replicator') },
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        // Only processes die here, not the kernel, and what a killed process has written stays.
        parameters: { unix_socket_directories: this.#directory, max_connections: 100, fsync: 'off' },
      },
    };
    const path = join(this.#directory, `${name}.yml`);
    writeFileSync(path, JSON.stringify(config));
    return path;
  }

  #spawn(program: string, args: string[], name: string): ChildProcess {
    return spawn('/bin/sh', ['-c', 'exec "$0" "$@" >>"$LOG" 2>&1', program, ...args], {
      ...this.#user,
      cwd: this.#directory,
      env: {
        PATH: process.env.PATH,
        LC_ALL: 'C',
        LOG: join(this.#directory, `${name}.log`),
        HOME: this.#directory,
      },
      detached: true,
      stdio: 'ignore',
    });
  }

  /** Returns `primary`, `sync_standby` or `replica` while the member runs. */
  async #roleOf({ rest }: Member): Promise<string | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${rest}/patroni`);
      const { state, role, sync_standby } = (await response.json()) as Record<string, string | boolean>;
      if (state !== 'running') return undefined;
      if (role === 'master' || role === 'primary') return 'primary';
      return sync_standby ? 'sync_standby' : 'replica';
    } catch {
      return undefined;
    }
  }

  #roles(): Promise<(string | undefined)[]> {
    return Promise.all(this.#members.map((member) => this.#roleOf(member)));
  }

  async #primary(): Promise<Member> {
    for (;;) {
      const index = (await this.#roles()).indexOf('primary');
      if (index >= 0) return this.#members[index]!;
      await sleep(LOOK_MS);
    }
  }

  async #until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds().catch(() => false))) {
      const processes = [this.#etcd!.process, ...this.#members.map(({ patroni }) => patroni)];
      const ended = processes.filter(({ exitCode }) => exitCode !== null);
      if (ended.length > 0) throw new Error(`the cluster does not start\n${this.#logs()}`);
      await sleep(LOOK_MS);
    }
  }

  #logs(): string {
    const tail = ['-n', '30', ...['etcd', ...MEMBERS].map((name) => join(this.#directory, `${name}.log`))];
    try {
      return execFileSync('tail', tail, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      return '';
    }
  }

  async #stop(): Promise<void> {
    for (const { patroni } of this.#members) await killed(patroni);
    for (const member of this.#members) {
      const pid = pidOf(member);
      if (pid !== undefined) await endOf(pid);
    }
    if (this.#etcd) await killed(this.#etcd.process);
    // Processes left by a killed server keep files open for a moment.
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Returns the process id of a member's server, which Patroni starts detached. */
function pidOf({ data }: Member): number | undefined {
  try {
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]) || undefined;
  } catch {
    return undefined;
  }
}

/** Stops a server immediately, because its data will be discarded. */
async function endOf(pid: number): Promise<void> {
  for (let signal: NodeJS.Signals | 0 = 'SIGQUIT'; ; signal = 0) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    await sleep(LOOK_MS);
  }
}
