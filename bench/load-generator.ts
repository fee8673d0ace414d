// Sends requests over keep-alive connections, as fast as they are answered or at a steady rate. A separate process, so
// that it shares no event loop with the measured service. The other side is load.ts.
import { connect, type Socket } from 'node:net';
import type { LoadOrder, LoadReport } from './load.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = 'content-length: ';

/** The requests of one order, handed out to the connections one by one. */
class Supply {
  readonly #requests: Buffer[];
  readonly #limit: number;
  readonly #startedAt = performance.now();
  readonly #endsAt: number;
  /** Milliseconds between the due times of two requests. */
  readonly #spacing: number;
  #taken = 0;

  constructor({ requests, count = Infinity, seconds = Infinity, perSecond = Infinity }: LoadOrder) {
    this.#requests = requests.map((text) => Buffer.from(text));
    this.#limit = count;
    this.#endsAt = this.#startedAt + seconds * 1000;
    this.#spacing = 1000 / perSecond;
  }

  /** Returns the next request and when it is due, which may be now, in the past or in the future. */
  next(now: number): { request: Buffer; dueAt: number } | undefined {
    const dueAt = this.#spacing === 0 ? now : this.#startedAt + this.#taken * this.#spacing;
    if (this.#taken >= this.#limit || dueAt >= this.#endsAt) return undefined;
    return { request: this.#requests[this.#taken++ % this.#requests.length]!, dueAt };
  }
}

/** Returns the length and status of the complete response at the start of `bytes`; undefined while it is incomplete. */
function wholeResponse(bytes: Buffer): { length: number; status: number; closes: boolean } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd).toLowerCase();
  const at = head.indexOf(LENGTH);
  if (at < 0) throw new Error(`a response without Content-Length:\n${head}`);
  const length = headEnd + HEAD_END.length + Number.parseInt(head.slice(at + LENGTH.length), 10);
  if (bytes.length < length) return undefined;
  return { length, status: Number(head.slice(9, 12)), closes: head.includes('connection: close') };
}

interface Line {
  open: () => Socket;
  supply: Supply;
  /** True if the connection should be reopened, because a refusal may close it. */
  reopens: boolean;
  done: (status: number, ms: number) => void;
}

/** Uses one connection after another until the supply is exhausted. */
function drive(line: Line): Promise<void> {
  const { open, supply, reopens, done } = line;
  return new Promise((resolve, reject) => {
    const socket = open();
    let received: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    const send = () => {
      const now = performance.now();
      const next = supply.next(now);
      if (!next) {
        socket.removeAllListeners('close').destroy();
        return resolve();
      }
      const write = (from: number) => {
        sentAt = from;
        socket.write(next.request);
      };
      // A request that waits for its time is measured from when it is sent: our timer's delay is not the service's.
      if (next.dueAt > now) setTimeout(() => write(performance.now()), next.dueAt - now);
      else write(next.dueAt);
    };
    // If connections are reopened, the close event is enough.
    socket.on('error', reopens ? () => {} : reject);
    socket.on('close', () => {
      if (reopens) drive(line).then(resolve, reject);
      else reject(new Error('the server closed a connection'));
    });
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const response = wholeResponse(received);
      if (!response) return;
      received = received.subarray(response.length);
      done(response.status, performance.now() - sentAt);
      if (reopens && response.closes) socket.destroy();
      else send();
    });
    socket.on('connect', send);
  });
}

async function carryOut(order: LoadOrder): Promise<LoadReport> {
  const latencies: number[] = [];
  const statuses: Record<number, number> = {};
  const supply = new Supply(order);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: order.inFlight }, () =>
      drive({
        open: () => connect({ port: order.port, noDelay: true }),
        supply,
        reopens: order.anyStatus === true,
        done: (status, ms) => {
          statuses[status] = (statuses[status] ?? 0) + 1;
          latencies.push(ms);
        },
      }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, statuses, latencies };
}

process.on('message', async (order: LoadOrder) => {
  process.send!(await carryOut(order));
});
process.on('disconnect', () => process.exit());
