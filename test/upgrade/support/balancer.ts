import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { defer, type Lifetime } from '../../support/cleanup.ts';

const CHECK_MS = 50;

/**
 * A load balancer as docs/behind-a-proxy.md has one: it asks each node whether it is ready, sends requests in turn to
 * those that are, each on a connection of its own, and to another one where nothing listens any more.
 */
export class Balancer {
  baseUrl = '';
  readonly #nodes = new Map<string, boolean>();
  /** Requests that a node has not answered. */
  readonly #underWay = new Map<string, number>();
  #turn = 0;

  static async start(t: Lifetime): Promise<Balancer> {
    const balancer = new Balancer();
    const server = createServer((incoming, outgoing) => void balancer.#forward(incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    balancer.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const over = new AbortController();
    const checking = balancer.#check(over.signal);
    defer(t, async () => {
      over.abort();
      await checking;
      server.closeAllConnections();
      server.close();
    });
    return balancer;
  }

  /** Begins to ask a node, and waits until it is ready. */
  async add({ baseUrl }: { baseUrl: string }): Promise<void> {
    this.#nodes.set(baseUrl, false);
    while (!this.#nodes.get(baseUrl)) await sleep(CHECK_MS);
  }

  remove({ baseUrl }: { baseUrl: string }): void {
    this.#nodes.delete(baseUrl);
  }

  /** Sends a node nothing more, and waits until it has answered what it was sent. */
  async drain({ baseUrl }: { baseUrl: string }): Promise<void> {
    this.#nodes.delete(baseUrl);
    while (this.#underWay.get(baseUrl)) await sleep(CHECK_MS);
  }

  async #check(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const node of this.#nodes.keys()) {
        const isReady = await fetch(`${node}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (this.#nodes.has(node)) this.#nodes.set(node, isReady);
      }
      await sleep(CHECK_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const ready = [...this.#nodes].filter(([, isReady]) => isReady).map(([node]) => node);
    const first = this.#turn++;
    for (let n = 0; n < ready.length; n++) {
      const node = ready[(first + n) % ready.length]!;
      try {
        const answer = await this.#send(node, incoming, Buffer.concat(chunks));
        outgoing.writeHead(answer.statusCode!, { ...answer.headers, connection: 'close' });
        answer.pipe(outgoing);
        return;
      } catch (error) {
        // Only where nothing was sent may it be sent again.
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') break;
      }
    }
    outgoing.destroy();
  }

  async #send(node: string, incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const count = (by: number) => this.#underWay.set(node, (this.#underWay.get(node) ?? 0) + by);
    count(1);
    try {
      const answer = await send(node, incoming, body);
      answer.once('close', () => count(-1));
      return answer;
    } catch (error) {
      count(-1);
      throw error;
    }
  }
}

function send(
  node: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(node + url, { method, headers, agent: false }, resolve);
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
