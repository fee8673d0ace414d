import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { overTcp } from '../../support/postgres-server.ts';

interface Traffic {
  roundTrips: number;
  statements: string[];
  unanswered: number;
}

/** A way to a PostgreSQL server that counts what goes over it. */
export interface CountedPostgres {
  url: string;
  /** How often a client had an answer before it sent more, connection by connection. */
  readonly roundTrips: number;
  /** In the order in which they were sent. */
  readonly statements: readonly string[];
  /** Begins to count from zero. */
  reset(): void;
  /** Whether everything that was sent has been answered. */
  isQuiet(): boolean;
}

/** Opens such a way to the server at `url`, until the test ends. Statements like `ignored` do not count. */
export async function countPostgres(t: TestContext, url: string, ignored: RegExp): Promise<CountedPostgres> {
  const address = overTcp(url);
  const target = { host: address.hostname, port: Number(address.port || 5432) };
  const traffic = { roundTrips: 0, statements: [] as string[], unanswered: 0 };
  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect({ ...target, noDelay: true });
    for (const socket of [client, server]) sockets.add(socket.on('error', () => {}));
    relay(client, server, traffic, ignored);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  defer(t, () => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  });
  address.hostname = '127.0.0.1';
  address.port = String((listener.address() as AddressInfo).port);
  return {
    url: address.href,
    get roundTrips() {
      return traffic.roundTrips;
    },
    get statements() {
      return traffic.statements;
    },
    reset: () => void Object.assign(traffic, { roundTrips: 0, statements: [] }),
    isQuiet: () => traffic.unanswered === 0,
  };
}

/** Counts on one connection. */
function relay(client: Socket, server: Socket, traffic: Traffic, ignored: RegExp): void {
  const prepared = new Map<string, string>();
  let text = '';
  let answered = true;
  /** The first time that a server is ready it answers no statement, but the connection's beginning. */
  let isOpen = false;
  const sent = (statement: string) => {
    if (ignored.test(statement)) return;
    traffic.statements.push(statement);
    if (answered) traffic.roundTrips++;
    answered = false;
  };
  const onRequest = messages((type, body) => {
    if (type === 'P') prepared.set(...twoStrings(body));
    else if (type === 'B') text = prepared.get(twoStrings(body)[1]) ?? '';
    else if (type === 'E') sent(text);
    else if (type === 'Q') sent(body.toString('utf8', 0, body.length - 1));
    // The end of one statement, or of several that the server takes as one.
    if (type === 'S' || type === 'Q') traffic.unanswered++;
  }, true);
  const onAnswer = messages((type) => {
    if (type !== 'Z') return;
    answered = true;
    if (isOpen) traffic.unanswered--;
    isOpen = true;
  }, false);
  client.on('data', (bytes) => {
    onRequest(bytes);
    server.write(bytes);
  });
  server.on('data', (bytes) => {
    onAnswer(bytes);
    client.write(bytes);
  });
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
}

function twoStrings(body: Buffer): [string, string] {
  const [first, second] = body.toString('utf8').split('\0', 2);
  return [first!, second!];
}

/** Cuts a stream into the protocol's messages; the first that a client sends has no type. */
function messages(
  onMessage: (type: string, body: Buffer) => void,
  untyped: boolean,
): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  let skip = untyped ? 0 : 1;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      if (rest.length < skip + 4) return;
      const length = skip + rest.readUInt32BE(skip);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (skip === 1) onMessage(String.fromCharCode(message[0]!), message.subarray(5));
      skip = 1;
    }
  };
}
