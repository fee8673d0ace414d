import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { defer, type Lifetime } from '../../support/cleanup.ts';

const CHECK_MS = 50;

/**
 * A load balancer as in docs/behind-a-proxy.md: it checks the readiness of each node, sends requests to the ready ones
 * in turn, each on a separate connection, and tries another node if nothing listens any longer.
 */
export class Balancer {
  baseUrl = '';
  readonly #nodes = new Map<string, boolean>();
  /** Requests that a node has not answered yet, by node. */
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

  /** Begins to check a node and waits until it is ready. */
  async add({ baseUrl }: { baseUrl: string }): Promise<void> {
    this.#nodes.set(baseUrl, false);
    while (!this.#nodes.get(baseUrl)) await sleep(CHECK_MS);
  }

  remove({ baseUrl }: { baseUrl: string }): void {
    this.#nodes.delete(baseUrl);
  }

  /** Sends a node nothing more and waits for its pending replies. */
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
        // A request may be retried only if nothing was sent.
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
