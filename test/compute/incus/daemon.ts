import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Identity } from '../../../server/compute/incus/client.ts';
import type { Instance } from '../../../server/compute/incus/instance.ts';
import { defer } from '../../support/cleanup.ts';

/** A certificate that is its own authority: the member's, and the service's to the member. */
export function identityOf(t: TestContext): Identity {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-incus-client-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const [keyFile, file] = [join(directory, 'key'), join(directory, 'crt')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', ['req', ...kind, '-subj', '/CN=m', '-keyout', keyFile, '-out', file], {
    stdio: 'ignore',
  });
  const certificate = readFileSync(file, 'utf8');
  return { certificate, key: readFileSync(keyFile, 'utf8'), serverCertificate: certificate };
}

const [STOPPED, RUNNING] = [102, 103];

/** The id of the cluster that the daemon is one of. */
export const CLUSTER = 'one';

/** When a guest was started for the n-th time, by which Incus tells its runs apart. */
export const runNumber = (n: number) => `2026-01-01T00:00:0${n}Z`;

/**
 * The API of a member with one guest, over real sockets: what the driver asks while it switches a guest off and hears of it. It
 * dies as often as a test wants, with its guest or without; what it cannot be relied on for is then up to the test.
 */
export class Daemon {
  readonly guest: Instance;
  readonly identity: Identity;
  url = '';
  /** Called when the guest is asked to go off, or on, before that is answered. */
  asked: (action: string) => void = () => {};
  readonly #server: Server;
  readonly #events = new WebSocketServer({ noServer: true });
  #run = 1;
  /** How often the guest was looked at alone, and how often all were. */
  #looks = 0;
  #lists = 0;
  #refused = 0;
  #isDead = false;

  private constructor(identity: Identity, id: string) {
    this.identity = identity;
    this.guest = {
      name: id.replace('_', '-'),
      status_code: RUNNING,
      location: 'm1',
      type: 'container',
      config: { 'user.vauban.id': id, 'image.vauban.readiness': 'none' },
      devices: {},
      last_used_at: runNumber(1),
    };
    const { certificate: cert, key } = identity;
    this.#server = createServer({ cert, key }, async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const metadata = this.#answer(request.method!, request.url!, text && JSON.parse(text));
      if (this.#isDead) request.socket.destroy();
      else response.end(JSON.stringify({ type: 'sync', metadata }));
    });
    this.#server.on('upgrade', (request, socket, head) => {
      if (this.#isDead) {
        this.#refused++;
        socket.destroy();
      } else this.#events.handleUpgrade(request, socket, head, () => {});
    });
  }

  static async start(t: TestContext, id: string): Promise<Daemon> {
    const daemon = new Daemon(identityOf(t), id);
    daemon.#server.listen(0, '127.0.0.1');
    await once(daemon.#server, 'listening');
    daemon.url = `https://127.0.0.1:${(daemon.#server.address() as AddressInfo).port}`;
    defer(t, () => daemon.#server.close());
    defer(t, () => daemon.die());
    return daemon;
  }

  /** Ends all connections, and answers nothing until {@link revive}. */
  die(): void {
    this.#isDead = true;
    for (const socket of this.#events.clients) socket.terminate();
    this.#server.closeAllConnections();
  }

  revive(): void {
    this.#isDead = false;
  }

  /** The guest ends, and all who follow hear of it, without who asked for it. Resolves once each has looked. */
  async goOff(): Promise<void> {
    this.guest.status_code = STOPPED;
    await this.#tell('instance-shutdown');
  }

  /** The guest is started anew. */
  async goOn(): Promise<void> {
    this.guest.status_code = RUNNING;
    this.guest.last_used_at = runNumber(++this.#run);
    await this.#tell('instance-started');
  }

  /** How many follow its events. */
  get followers(): number {
    return [...this.#events.clients].filter((each: WebSocket) => each.readyState === each.OPEN).length;
  }

  /** How often all guests were looked at. */
  get lists(): number {
    return this.#lists;
  }

  /** How often it was in vain that someone wanted to follow its events. */
  get refused(): number {
    return this.#refused;
  }

  async #tell(action: string): Promise<void> {
    const metadata = { action, source: `/1.0/instances/${this.guest.name}` };
    const looks = this.#looks + this.#lists + this.followers;
    for (const socket of this.#events.clients) socket.send(JSON.stringify({ metadata }));
    while (this.#looks + this.#lists < looks) await new Promise(setImmediate);
  }

  #answer(method: string, url: string, body: Partial<Instance> & { action?: string }): unknown {
    const { pathname } = new URL(url, this.url);
    if (pathname === '/1.0') return { config: { 'user.vauban.cluster': CLUSTER } };
    if (pathname === '/1.0/cluster/members')
      return [{ server_name: 'm1', url: this.url, status: 'Online', message: '', groups: [] }];
    if (pathname === '/1.0/instances') {
      this.#lists++;
      return [this.guest];
    }
    if (method === 'PATCH') {
      this.guest.config = { ...this.guest.config, ...body.config };
      this.guest.devices = { ...this.guest.devices, ...body.devices };
    }
    if (method === 'PUT') this.asked(body.action!);
    if (method === 'GET') this.#looks++;
    return this.guest;
  }
}
