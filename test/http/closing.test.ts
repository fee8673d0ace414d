// Runs on the embedded engine only: it is about connections of clients.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type NetConnectOpts, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify from 'fastify';
import WebSocket from 'ws';
import { boundClosing, CLOSE_GRACE_MS } from '../../server/http/closing.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { newCustomer } from '../chaos/support/customer.ts';
import { startInProcess } from '../chaos/support/in-process.ts';
import { openPanel, signInAs } from '../panel/support/panel.ts';
import { defer } from '../support/cleanup.ts';

const HEAD = 'HTTP/1.1\r\nHost: a\r\n';

async function open(t: TestContext, to: NetConnectOpts, text = ''): Promise<Socket> {
  const socket = connect(to);
  defer(t, () => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (text) socket.write(text);
  return socket;
}

/** Lets this process continue until the condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn();
}

/** Returns a function that returns whether the connection has closed. */
const closed = (socket: Socket) => {
  socket.resume();
  return () => socket.closed;
};

/** Starts a server with a route for each way in which a request can be in progress. */
async function serve(t: TestContext) {
  const clock = new ManualClock();
  const app = Fastify({ forceCloseConnections: 'idle' });
  boundClosing(app, clock);
  const late = Promise.withResolvers<string>();
  app.get('/quick', async () => 'quick');
  app.get('/late', async () => late.promise);
  // More than all socket buffers hold.
  app.get('/stream', async () => Readable.from(endless(), { objectMode: false }));
  app.post('/body', async () => 'body');
  let begun = 0;
  app.addHook('onRequest', async () => {
    begun++;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  let isClosed = false;
  const close = () =>
    app.close().then(() => {
      isClosed = true;
    });
  defer(t, () => app.server.closeAllConnections());
  return {
    ...{ app, clock, close, late },
    connect: (text?: string) => open(t, { host: '127.0.0.1', port }, text),
    connections: () => new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count))),
    begun: () => begun,
    isClosed: () => isClosed,
  };
}

async function* endless() {
  for (;;) yield Buffer.alloc(64 * 1024);
}

test('a connection without a request does not hold up the end', async (t) => {
  const { connect, connections, close, clock } = await serve(t);
  const silent = await connect();
  const idle = await connect(`GET /quick ${HEAD}\r\n`);
  await once(idle, 'data');
  while ((await connections()) !== 2) await nextTurn();
  const ends = [closed(silent), closed(idle)];
  await close();
  await until(() => ends.every((isOver) => isOver()));
  assert.equal(clock.sleeping, 0, 'nothing is waited for any more');
});

test('running requests are answered, and their kept-alive connections end', async (t) => {
  const { connect, close, begun, late, isClosed, clock } = await serve(t);
  const busy = await connect(`GET /late ${HEAD}\r\n`);
  const half = await connect(
    `POST /body ${HEAD}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{`,
  );
  await until(() => begun() === 2);
  const stopped = close();
  clock.advance(CLOSE_GRACE_MS - 1);
  await nextTurn();
  assert.equal(isClosed(), false);
  const [answered, whole] = [once(busy, 'data'), once(half, 'data')];
  late.resolve('late');
  half.write('}');
  assert.match(String((await answered)[0]), /^HTTP\/1.1 200 OK.*late$/s);
  assert.match(String((await whole)[0]), /^HTTP\/1.1 200 OK.*body$/s);
  await stopped;
});

for (const [what, text, isBegun] of [
  ['half a head', `GET /quick ${HEAD}X-Slow: `, false],
  ['half a body', `POST /body ${HEAD}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`, true],
  ['a stream that is not read', `GET /stream ${HEAD}\r\n`, true],
  ['a request that nobody answers', `GET /late ${HEAD}\r\n`, true],
  ['half of the second head', `GET /quick ${HEAD}\r\nGET /qui`, true],
] as const) {
  test(`${what} is waited for, and cut when its time is over`, async (t) => {
    const { connect, close, begun, isClosed, clock, app } = await serve(t);
    const received = once(app.server, 'connection');
    const socket = await connect(text);
    socket.pause();
    const [peer] = (await received) as [Socket];
    await until(() => peer.bytesRead === Buffer.byteLength(text) && begun() === Number(isBegun));
    const stopped = close();
    await until(() => clock.sleeping === 1);
    clock.advance(CLOSE_GRACE_MS - 1);
    await nextTurn();
    assert.equal(isClosed(), false);
    clock.advance(1);
    await stopped;
  });
}

test('the service ends every connection of each listener', async (t) => {
  const panel = await openPanel(t, { VAUBAN_OPERATOR_LISTEN: '127.0.0.1:0' });
  const { services, clock, baseUrl, operatorSocket } = panel;
  const { browser } = await signInAs(panel, 'owner');
  const port = Number(new URL(baseUrl).port);
  const customers = { host: '127.0.0.1', port };
  // Silent, half-sent and idle connections, to the customers' port and the operator's socket.
  const ends: (() => boolean)[] = [];
  for (const to of [customers, { path: operatorSocket }]) {
    ends.push(closed(await open(t, to)));
    ends.push(closed(await open(t, to, 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ')));
    const idle = await open(t, to, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(idle, 'data');
    ends.push(closed(idle));
  }
  // The panel's stream of server-sent events.
  const stream = await browser.fetch('GET', '/changes');
  assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  // A terminal that never completes the closing handshake.
  const customer = await newCustomer(panel);
  const { vm } = await customer.ask('POST', '/v1/vm', {
    plan: 's1',
    template: 'debian-12',
    hostname: 'web-1',
  });
  await customer.settled(vm.id);
  const { ws_url: url, token } = await customer.ask('POST', `/v1/vm/${vm.id}/ssh-token`, {});
  const terminal = new WebSocket(url, ['vauban.ssh', token], { autoPong: false });
  terminal.on('error', () => {});
  await once(terminal, 'open');
  terminal.pause();

  let over = false;
  void panel.service.stop().then(() => {
    over = true;
  });
  while (!over) {
    await nextTurn();
    clock.advance(100);
  }
  await until(() => ends.every((isOver) => isOver()));
  assert.ok(services);
  terminal.terminate();
  await stream.body?.cancel().catch(() => {});
});

test('a silent connection does not delay a stop', async (t) => {
  const service = await startInProcess(t, { env: { VAUBAN_OPERATOR_LISTEN: '127.0.0.1:0' } });
  const silent = await open(t, { host: '127.0.0.1', port: Number(new URL(service.baseUrl).port) });
  const operators = await open(t, { path: service.operatorSocket });
  // The clock stands still: anything that waited for it would never end.
  await service.service.stop();
  for (const socket of [silent, operators]) await until(closed(socket));
});
