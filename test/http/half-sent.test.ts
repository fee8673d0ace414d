// Runs on the embedded engine only: it is about connections of clients.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { boundWaitingConnections, MAX_WAITING } from '../../server/http/waiting-connections.ts';
import { startInProcess } from '../chaos/support/in-process.ts';
import { defer } from '../support/cleanup.ts';

/** A local address in place of a public one. */
const ATTACKER = '127.0.0.9';

/** The connection limit of the small servers in this file. */
const MAXIMUM = 20;

/** Starts a server with a connection limit that replies to complete requests. */
async function serve(t: TestContext, isProxy: (ip: string) => boolean = () => false) {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end('whole'));
  });
  boundWaitingConnections(server, isProxy, MAXIMUM);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => {
    server.close();
    server.closeAllConnections();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Opens a connection from an address, sends `text` and records the end of the connection. */
async function half(t: TestContext, baseUrl: string, text: string, from = ATTACKER) {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  defer(t, () => void socket.destroy());
  await once(
    socket.on('error', () => {}),
    'connect',
  );
  socket.write(text);
  return socket;
}

const isOpen = (socket: Socket) => !socket.destroyed && !socket.readableEnded;
const untilClosed = (socket: Socket) => (isOpen(socket) ? once(socket.resume(), 'close') : undefined);

async function firstLine(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString('latin1').split('\r\n', 1)[0]!;
}

const UNFINISHED = {
  nothing: '',
  'half a head': 'GET /v1/vm HTTP/1.1\r\nHost: a\r\nX-Slow: ',
  'half a body':
    'POST /v1/vm HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
};

for (const [what, text] of Object.entries(UNFINISHED)) {
  test(`an address that sends ${what} has a limit of such connections, and is still served`, async (t) => {
    const { baseUrl } = await serve(t);
    const sockets: Socket[] = [];
    for (let n = 0; n < MAXIMUM + 20; n++) sockets.push(await half(t, baseUrl, text));
    await Promise.all(sockets.slice(0, 20).map(untilClosed));
    const elsewhere = await half(t, baseUrl, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n', '127.0.0.1');
    assert.equal(await firstLine(elsewhere), 'HTTP/1.1 200 OK');
    const here = await half(t, baseUrl, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.equal(await firstLine(here), 'HTTP/1.1 200 OK');
    const open = sockets.filter(isOpen).length;
    assert.ok(open <= MAXIMUM, `${open} of them are open`);
  });
}

test('a connection on which requests are answered is not one that waits; idle, it is again', async (t) => {
  const { baseUrl } = await serve(t);
  const ask = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
  const busy = await half(t, baseUrl, ask);
  for (let n = 0; n < MAXIMUM + 20; n++) {
    assert.equal(await firstLine(busy), 'HTTP/1.1 200 OK');
    await half(t, baseUrl, UNFINISHED['half a head']);
    // After each request it is the connection that has waited the shortest.
    busy.write(ask);
  }
  assert.equal(await firstLine(busy), 'HTTP/1.1 200 OK');
  const idle = await half(t, baseUrl, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.equal(await firstLine(idle), 'HTTP/1.1 200 OK');
  for (let n = 0; n < MAXIMUM; n++) await half(t, baseUrl, '');
  await untilClosed(idle);
});

test('a trusted proxy, which stands for many callers, has no limit', async (t) => {
  const { baseUrl } = await serve(t, (ip) => ip === ATTACKER);
  const sockets: Socket[] = [];
  for (let n = 0; n < MAXIMUM + 20; n++) sockets.push(await half(t, baseUrl, ''));
  const last = await half(t, baseUrl, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.equal(await firstLine(last), 'HTTP/1.1 200 OK');
  assert.equal(sockets.filter(isOpen).length, sockets.length);
});

test('the service bounds its connections', async (t) => {
  const { baseUrl } = await startInProcess(t);
  const first = await half(t, baseUrl, UNFINISHED['half a head']);
  for (let n = 0; n < MAX_WAITING; n += 64)
    await Promise.all(Array.from({ length: 64 }, () => half(t, baseUrl, UNFINISHED['half a head'])));
  await untilClosed(first);
  const here = await half(t, baseUrl, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.equal(await firstLine(here), 'HTTP/1.1 200 OK');
});
