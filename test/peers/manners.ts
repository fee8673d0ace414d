import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../../server/platform/clock.ts';
import { defer } from '../support/cleanup.ts';
import type { RunningClock } from '../support/running-clock.ts';

/** The bytes of a well-behaved peer of a protocol, for the bad peers to spoil. */
export interface Protocol {
  /** Sent before any request; '' if the peer waits for one. */
  greeting: string;
  /** The peer gets no request: it sends its reply at once. */
  isUnasked?: true;
  /** A correct reply to the first request. */
  answer: string;
  /** The beginning of a reply whose end the peer decides, such as the head of a reply over HTTP. */
  opening: string;
  /** Beginnings of messages that claim to be longer than they are, or longer than possible. */
  lies: string[];
  /** A list that may have any number of elements: the beginning of a reply, and an element. */
  list?: { begin: string; element: string };
}

/** A way for a peer to misbehave on one connection. */
export interface Manner {
  name: string;
  /** Only a timeout ends it. */
  isTimed?: true;
  behave(socket: Socket, protocol: Protocol): void;
}

/** Writes repeatedly for as long as anyone reads. */
function flood(socket: Socket, piece: string): void {
  const bytes = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

/** The connections underneath the encrypted ones. */
const carriers = new WeakMap<Socket, Socket>();

/** A unix socket has no reset. */
const reset = (socket: Socket) => {
  const carrier = carriers.get(socket) ?? socket;
  if (carrier.remoteAddress === undefined) carrier.destroy();
  else carrier.resetAndDestroy();
};

const onceAsked = (socket: Socket, { isUnasked }: Protocol, work: () => void) => {
  if (isUnasked) return work();
  socket.once('data', () => {
    work();
    socket.resume();
  });
};

const LONGEST_PAUSE_MS = 4_000;
const DEEP = '['.repeat(100_000);
const CONTROL = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');

const said = (name: string, text: (protocol: Protocol) => string): Manner => ({
  name,
  behave(socket, protocol) {
    socket.write(protocol.greeting);
    onceAsked(socket, protocol, () => socket.end(protocol.opening + text(protocol)));
  },
});

/**
 * A server either speaks first or waits for a request, so each manner is tried both at once and after the first
 * request.
 */
export const MANNERS: readonly Manner[] = [
  { name: 'silent', isTimed: true, behave: () => {} },
  {
    name: 'slow',
    isTimed: true,
    behave(socket, { greeting, answer }) {
      const bytes = Buffer.from(greeting + answer);
      let at = 0;
      const drip = setInterval(() => {
        if (at < bytes.length - 1) socket.write(bytes.subarray(at, ++at));
      }, 1);
      socket.once('close', () => clearInterval(drip));
    },
  },
  { name: 'closing at once', behave: (socket) => void socket.end() },
  { name: 'resetting at once', behave: reset },
  {
    name: 'closing half-way',
    behave(socket, protocol) {
      const { greeting, answer } = protocol;
      socket.write(greeting);
      onceAsked(socket, protocol, () => socket.end(answer.slice(0, Math.ceil(answer.length / 2))));
    },
  },
  {
    name: 'resetting half-way',
    behave(socket, protocol) {
      const { greeting, answer } = protocol;
      socket.write(greeting);
      onceAsked(socket, protocol, () =>
        socket.write(answer.slice(0, Math.ceil(answer.length / 2)), () => reset(socket)),
      );
    },
  },
  { name: 'sending an endless line at once', behave: (socket) => flood(socket, 'x') },
  { name: 'sending endless zeros at once', behave: (socket) => flood(socket, '\0') },
  { name: 'sending endless empty lines at once', behave: (socket) => flood(socket, '\r\n') },
  {
    name: 'sending an endless answer',
    behave(socket, protocol) {
      const { greeting, opening } = protocol;
      socket.write(greeting);
      onceAsked(socket, protocol, () => {
        socket.write(opening);
        flood(socket, 'x');
      });
    },
  },
  {
    name: 'sending endless right answers',
    behave(socket, protocol) {
      const { greeting, answer } = protocol;
      socket.write(greeting);
      onceAsked(socket, protocol, () => flood(socket, answer));
    },
  },
  {
    name: 'sending an endless list',
    behave(socket, protocol) {
      const { greeting, opening, list, answer } = protocol;
      socket.write(greeting);
      onceAsked(socket, protocol, () => {
        socket.write(list ? opening + list.begin : opening);
        flood(socket, list?.element ?? answer);
      });
    },
  },
  { name: 'sending garbage at once', behave: (socket) => void socket.end(`${CONTROL}\x7f\u00ff{]\n\r\n`) },
  said('sending garbage', () => '{"event":]}\n'),
  said('sending control characters', () => `"${CONTROL}"\n`),
  said('sending a number', () => '7\n'),
  said('sending null', () => 'null\n'),
  said('sending an object without members', () => '{}\n'),
  said(
    'sending members of other types',
    () => '{"event":7,"return":{},"error":null,"id":1,"type":[],"metadata":7}\n',
  ),
  said('sending an event without its members', () => '{"event":"RESET","data":{"guest":true}}\n'),
  said('sending a refusal without words', () => '{"id":1,"error":{"desc":{}}}\n'),
  said('nested deeply', () => `${DEEP}\n`),
  said('of a great many values', () => `[${'[],'.repeat(200_000)}1]\n`),
  {
    name: 'lying about lengths',
    behave(socket, protocol) {
      const { greeting, lies } = protocol;
      socket.write(greeting);
      onceAsked(socket, protocol, () => socket.end(lies.join('')));
    },
  },
];

/** A server that misbehaves on each connection. */
export interface BadServer {
  port: number;
  path: string;
  /** Returns the total of bytes that it could send. */
  sent(): number;
  /** Resolves when no one is connected. */
  left(): Promise<void>;
}

/** Listens locally: on a port, encrypted or not, or on a unix socket. */
export async function startBadServer(
  t: TestContext,
  { behave }: Manner,
  protocol: Protocol,
  at: 'port' | 'path',
  encryption?: { cert: string; key: string },
): Promise<BadServer> {
  const open = new Set<Socket>();
  let sent = 0;
  let wake = () => {};
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      sent += socket.bytesWritten;
      open.delete(socket);
      wake();
    });
    if (!encryption) {
      behave(socket, protocol);
      socket.resume();
      return;
    }
    const secure = new TLSSocket(socket, { isServer: true, ...encryption });
    carriers.set(secure, socket);
    secure.on('error', () => {});
    behave(secure, protocol);
    secure.resume();
  });
  const directory = mkdtempSync(join(tmpdir(), 'p-'));
  const path = join(directory, 's');
  await once(at === 'path' ? server.listen(path) : server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => {
    for (const socket of open) socket.destroy();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    port: at === 'port' ? (server.address() as AddressInfo).port : 0,
    path,
    sent: () => sent,
    async left() {
      while (open.size > 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
  };
}

/** Returns the same clock, but short pauses before a retry end at once. */
export function withoutPauses(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    sleep: (ms, signal) => (ms <= LONGEST_PAUSE_MS ? turn() : clock.sleep(ms, signal)),
  };
}

/** Returns the outcome of work that only a timeout ends: advances the clock until it does. */
export async function outOfTime<T>(clock: RunningClock, work: Promise<T>, stepMs: number): Promise<T> {
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  while (!over) {
    // Other work runs between two steps, such as code that waits for the next timeout.
    for (let turns = 0; turns < 20 && !over; turns++) await turn();
    clock.advance(stepMs);
  }
  return work;
}

/** Fails the test if anything is thrown outside the call that it belongs to. */
export function catchStrays(t: TestContext): Error[] {
  const strays: Error[] = [];
  const keep = (error: Error) => void strays.push(error);
  process.on('uncaughtExceptionMonitor', keep);
  defer(t, () => void process.off('uncaughtExceptionMonitor', keep));
  return strays;
}
