import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import ssh2, { type Client, type ClientChannel, type ConnectConfig } from 'ssh2';
import type { ComputeDriver } from '../../../server/compute/driver.ts';
import { createSimulator } from '../../../server/compute/simulator/simulator.ts';
import type { SimulatorStore } from '../../../server/compute/simulator/store.ts';
import type { Database } from '../../../server/db/database.ts';
import { SimulatorGuests } from '../../../server/db/queries/hosts/simulator-guests.ts';
import { ManualClock } from '../../../server/platform/clock.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { defer } from '../../support/cleanup.ts';
import { freshDatabase } from '../../support/database.ts';
import { BOOT_SECONDS, guestSpec, settle } from '../support.ts';

export const KEY = freshKeyPair('test');

export interface Setting {
  db: Database;
  clock: ManualClock;
  driver: ComputeDriver;
}

/** Opens a simulator on a fresh database with its own clock; closed when the test ends. */
export async function openSetting(
  t: TestContext,
  openStore = (db: Database): SimulatorStore => new SimulatorGuests(db),
): Promise<Setting> {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const driver = createSimulator({ store: openStore(db), clock, bootSeconds: BOOT_SECONDS });
  defer(t, () => driver.close());
  return { db, clock, driver };
}

/** Creates and boots a guest that accepts `KEY` and, for its default user, the password "correct horse". */
export async function runningGuest({ driver, clock }: Setting, hostname = 'web'): Promise<string> {
  const spec = guestSpec(hostname, { authorizedKeys: [KEY.public], password: 'correct horse' });
  await driver.create(spec);
  await settle(clock, driver.start(spec.id));
  return spec.id;
}

/** Logs in over `sock`; rejects with the client library's error. */
export function connect(sock: Duplex, options: ConnectConfig = {}): Promise<Client> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client.once('ready', () => resolve(client)).once('error', reject);
    client.on('error', () => {});
    client.connect({ sock, username: 'debian', privateKey: KEY.private, ...options });
  });
}

/** Returns a client that is logged in to the guest; closed when the test ends. */
export async function loggedIn(t: TestContext, { driver }: Setting, id: string, options?: ConnectConfig) {
  const sock = await driver.openSsh(id);
  defer(t, () => sock.destroy());
  return connect(sock, options);
}

export interface Outcome {
  stdout: string;
  stderr: string;
  code: number | null;
}

/** Runs a command without advancing the clock. */
export function run(client: Client, command: string, input?: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      const outcome: Outcome = { stdout: '', stderr: '', code: null };
      channel.on('data', (bytes: Buffer) => {
        outcome.stdout += bytes;
      });
      channel.stderr.on('data', (bytes: Buffer) => {
        outcome.stderr += bytes;
      });
      channel.on('exit', (code) => {
        outcome.code = code;
      });
      channel.on('close', () => resolve(outcome));
      channel.end(input);
    });
  });
}

/** Runs a command and advances the clock whenever everything waits for it. */
export function exec({ clock }: Setting, client: Client, command: string): Promise<Outcome> {
  return settle(clock, run(client, command));
}

export function ended(client: Client): Promise<void> {
  return new Promise((resolve) => {
    client.on('close', () => resolve());
  });
}

/** An interactive shell on a terminal, as a person sees it. */
export class Screen {
  readonly channel: ClientChannel;
  seen = '';
  #changed: () => void = () => {};

  constructor(channel: ClientChannel) {
    this.channel = channel;
    channel.on('data', (bytes: Buffer) => {
      this.seen += bytes;
      this.#changed();
    });
    channel.on('close', () => this.#changed());
  }

  type(text: string): void {
    this.channel.write(text);
  }

  /** Resolves when the output since the last call matches, and consumes it. Only the test's timeout ends the wait. */
  async shows(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.seen);
      if (found) {
        const text = this.seen.slice(0, found.index + found[0].length);
        this.seen = this.seen.slice(text.length);
        return text;
      }
      if (this.channel.destroyed) throw new Error(`ended without ${pattern}: ${this.seen}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

export function openShell(client: Client, size = { cols: 80, rows: 24 }): Promise<Screen> {
  return new Promise((resolve, reject) => {
    client.shell({ term: 'xterm-256color', ...size }, (error, channel) =>
      error ? reject(error) : resolve(new Screen(channel)),
    );
  });
}
