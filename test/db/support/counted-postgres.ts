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

/** A proxy to a PostgreSQL server that counts its traffic. */
export interface CountedPostgres {
  url: string;
  /** Number of times that a client received a reply before it sent more, summed over connections. */
  readonly roundTrips: number;
  /** In the order in which they were sent. */
  readonly statements: readonly string[];
  reset(): void;
  isQuiet(): boolean;
}

/** Opens a proxy to the server at `url` until the test ends. Statements that match `ignored` do not count. */
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

/** Counts the traffic of one connection. */
function relay(client: Socket, server: Socket, traffic: Traffic, ignored: RegExp): void {
  const prepared = new Map<string, string>();
  let text = '';
  let answered = true;
  /** The first time that a server is ready completes the connection's start, not a statement. */
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
    // The end of one statement, or of several that the server executes as one.
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

/** Splits a stream into the protocol's messages; a client's first message has no type. */
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
