import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import ssh2 from 'ssh2';
import { defer } from '../support/cleanup.ts';
import { openEnv } from './support/env.ts';
import { bytesOf, open } from './support/socket.ts';

const MB = 1024 * 1024;
/**
 * The data that may be in transit: four socket buffers of the kernel, of up to 6 MB each on loopback, and the service's
 * high-water marks. Without back-pressure everything would be in transit.
 */
const ON_THE_WAY = 32 * MB;

/** Starts a guest on a plain socket, which the test controls. */
async function plainGuest(t: Parameters<typeof defer>[0], serve: (socket: Socket) => void) {
  const server = createServer(serve);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => server.close());
  return async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
}

test('bulk', async (t) => {
  const env = await openEnv(t);
  const { compute } = env.service.services;

  await t.test('100 MB for a slow reader wait at the guest, not in the service', async () => {
    const total = 100 * MB;
    let given = 0;
    const openVnc = await plainGuest(t, (socket) => {
      const block = Buffer.alloc(64 * 1024);
      const pour = () => {
        while (given < total) {
          given += block.length;
          if (!socket.write(block)) return void socket.once('drain', pour);
        }
        socket.end();
      };
      socket.on('error', () => {});
      pour();
    });
    Object.assign(compute, { openVnc });
    const ticket = await env.screen();
    const { ws, closed, text } = await open(t, ticket.url, ticket);
    // The guest speaks first, perhaps in the packet that opened the WebSocket.
    let [taken, mostOnTheWay] = [text.length, 0];
    ws.removeAllListeners('message');
    ws.on('message', (data: Buffer) => {
      taken += data.length;
      mostOnTheWay = Math.max(mostOnTheWay, given - taken);
      ws.pause();
      setImmediate(() => setImmediate(() => ws.resume()));
    });
    await closed;
    assert.equal(taken, total);
    assert.ok(mostOnTheWay < ON_THE_WAY, `${mostOnTheWay} bytes were on the way`);
  });

  await t.test('100 MB for a slow guest wait at the client', async () => {
    const total = 100 * MB;
    let [sent, taken, mostOnTheWay] = [0, 0, 0];
    const swallowed = Promise.withResolvers<void>();
    const openVnc = await plainGuest(t, (socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        taken += data.length;
        mostOnTheWay = Math.max(mostOnTheWay, sent - taken);
        if (taken === total) swallowed.resolve();
        socket.pause();
        setImmediate(() => setImmediate(() => socket.resume()));
      });
    });
    Object.assign(compute, { openVnc });
    const ticket = await env.screen();
    const { ws } = await open(t, ticket.url, ticket);
    const block = Buffer.alloc(256 * 1024);
    while (sent < total) {
      await new Promise((resolve) => ws.send(block, { binary: true }, resolve));
      sent += block.length;
    }
    await swallowed.promise;
    assert.ok(mostOnTheWay < ON_THE_WAY, `${mostOnTheWay} bytes were on the way`);
    ws.close();
  });

  await t.test('a guest whose greeting was read already, and its stream paused, still speaks', async () => {
    const openGuest = await plainGuest(t, (socket) => socket.on('error', () => {}).end('SSH-2.0-guest\r\n'));
    const openSsh = async () => {
      const socket = await openGuest();
      const [greeting] = await once(socket, 'data');
      socket.pause().unshift(greeting);
      return socket;
    };
    const original = compute.openSsh;
    Object.assign(compute, { openSsh });
    const token = await env.terminal({}, { raw: true });
    const socket = await open(t, token.url, token);
    await socket.closed;
    assert.equal(socket.text, 'SSH-2.0-guest\r\n');
    Object.assign(compute, { openSsh: original });
  });

  await t.test('an SSH client of one’s own logs in, resizes, and transfers 100 MB', async () => {
    const token = await env.terminal({}, { raw: true });
    const socket = await open(t, token.url, token);
    assert.equal(socket.ws.protocol, 'vauban.ssh.raw');
    const client = new ssh2.Client();
    client.connect({ sock: bytesOf(socket), username: 'deploy', password: 'secret' });
    await once(client, 'ready');

    const shell = await new Promise<ssh2.ClientChannel>((resolve, reject) => {
      client.shell({ cols: 90, rows: 20 }, (error, channel) => (error ? reject(error) : resolve(channel)));
    });
    let screen = '';
    let look = () => {};
    shell.on('data', (data: Buffer) => {
      screen += data;
      look();
    });
    const shows = async (words: string) => {
      while (!screen.includes(words)) await new Promise<void>((resolve) => (look = resolve));
    };
    await shows('welcome 90x20');
    shell.write('top\r');
    await shows('top 90x20');
    shell.setWindow(50, 132, 0, 0);
    await shows('top 132x50');
    shell.end();

    const before = process.memoryUsage().rss;
    const [total, most] = await new Promise<[number, number]>((resolve, reject) => {
      client.exec(`pour ${100 * MB}`, (error, channel) => {
        if (error) return reject(error);
        let [bytes, rss] = [0, 0];
        channel.on('data', (data: Buffer) => {
          bytes += data.length;
          rss = Math.max(rss, process.memoryUsage.rss());
        });
        channel.once('close', () => resolve([bytes, rss]));
      });
    });
    assert.equal(total, 100 * MB);
    // Guest, service and client are this one process, so the library's garbage counts three times.
    assert.ok(most - before < 200 * MB, `${(most - before) / MB} MB more`);
    client.end();
    await socket.closed;
  });
});
