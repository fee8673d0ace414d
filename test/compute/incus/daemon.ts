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

/** A self-signed certificate, used both by the member and by the service as its client. */
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

export const CLUSTER = 'one';

/** The start time of a guest's n-th run. Incus tells runs apart by it. */
export const runNumber = (n: number) => `2026-01-01T00:00:0${n}Z`;

/**
 * The API of a member with one guest, over real sockets: the calls that the driver makes while it shuts a guest down
 * and follows its events. A test can kill it at any moment, with or without its guest, and decides itself which events
 * are lost.
 */
export class Daemon {
  readonly guest: Instance;
  readonly identity: Identity;
  url = '';
  /** Called when the guest is asked to stop or start, before the reply. */
  asked: (action: string) => void = () => {};
  readonly #server: Server;
  readonly #events = new WebSocketServer({ noServer: true });
  #run = 1;
  /** Counts requests for the guest and requests for the list. */
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

  /** Ends all connections and answers nothing until {@link revive}. */
  die(): void {
    this.#isDead = true;
    for (const socket of this.#events.clients) socket.terminate();
    this.#server.closeAllConnections();
  }

  revive(): void {
    this.#isDead = false;
  }

  /**
   * Stops the guest and reports it to all followers, without naming who asked for it. Resolves when each of them has
   * looked.
   */
  async goOff(): Promise<void> {
    this.guest.status_code = STOPPED;
    await this.#tell('instance-shutdown');
  }

  async goOn(): Promise<void> {
    this.guest.status_code = RUNNING;
    this.guest.last_used_at = runNumber(++this.#run);
    await this.#tell('instance-started');
  }

  get followers(): number {
    return [...this.#events.clients].filter((each: WebSocket) => each.readyState === each.OPEN).length;
  }

  get lists(): number {
    return this.#lists;
  }

  /** The number of times a follower failed to connect. */
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
