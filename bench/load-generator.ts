// Sends requests over keep-alive connections, as fast as they are answered; a process of its own, so that it
// shares no event loop with what it measures. The other side is load.ts.
import { connect, type Socket } from 'node:net';
import type { LoadOrder, LoadReport } from './load.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = 'content-length: ';

/** The requests of one order, handed out to the connections one after the other. */
class Supply {
  readonly #requests: Buffer[];
  readonly #limit: number;
  readonly #endsAt: number;
  #taken = 0;

  constructor({ requests, count = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY }: LoadOrder) {
    this.#requests = requests.map((text) => Buffer.from(text));
    this.#limit = count;
    this.#endsAt = performance.now() + seconds * 1000;
  }

  next(now: number): Buffer | undefined {
    if (this.#taken >= this.#limit || now >= this.#endsAt) return undefined;
    return this.#requests[this.#taken++ % this.#requests.length];
  }
}

/** Length of the whole response at the start of `bytes`, and its status; undefined while it is incomplete. */
function wholeResponse(bytes: Buffer): { length: number; status: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd).toLowerCase();
  const at = head.indexOf(LENGTH);
  if (at < 0) throw new Error(`a response without Content-Length:\n${head}`);
  const length = headEnd + HEAD_END.length + Number.parseInt(head.slice(at + LENGTH.length), 10);
  return bytes.length < length ? undefined : { length, status: Number(head.slice(9, 12)) };
}

/** Uses one connection until the supply has ended. */
function drive(socket: Socket, supply: Supply, done: (status: number, ms: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      const request = supply.next(sentAt);
      if (request) socket.write(request);
      else resolve();
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const response = wholeResponse(received);
      if (!response) return;
      received = received.subarray(response.length);
      done(response.status, performance.now() - sentAt);
      send();
    });
    socket.on('connect', send);
  });
}

async function carryOut(order: LoadOrder): Promise<LoadReport> {
  const latencies: number[] = [];
  const statuses: Record<number, number> = {};
  const supply = new Supply(order);
  const sockets = Array.from({ length: order.inFlight }, () => connect({ port: order.port, noDelay: true }));
  const startedAt = performance.now();
  await Promise.all(
    sockets.map((socket) =>
      drive(socket, supply, (status, ms) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
        latencies.push(ms);
      }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  return { seconds, statuses, latencies };
}

process.on('message', async (order: LoadOrder) => {
  process.send!(await carryOut(order));
});
process.on('disconnect', () => process.exit());
