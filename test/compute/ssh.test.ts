import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentUnavailableError } from '../../server/compute/driver.ts';
import { connectTo } from '../../server/compute/inside/connect.ts';
import { openSsh, untilAnswered } from '../../server/compute/inside/ssh.ts';
import { HostClient } from '../../server/compute/qemu/host/client.ts';
import { RoutedNetwork } from '../../server/compute/qemu/routed/routed.ts';
import { ManualClock, systemClock } from '../../server/platform/clock.ts';
import { defer } from '../support/cleanup.ts';
import { settle } from './support.ts';

const LIMIT_MS = 60_000;
/** Well below the one second after which the kernel retransmits a lost packet. */
const SOON_MS = 250;

const GUEST = {
  ...{ id: 'vm_1', mac: '52:54:00:12:34:56', directory: '' },
  addresses: [{ address: '127.0.0.1', family: 4 as const, prefix: 32, gateway: '' }],
};

/** An SSH server that counts connections and disconnections, and turns clients away while `isFull` returns true. */
async function greetingServer(t: TestContext, isFull = () => false) {
  let [came, left] = [0, 0];
  const server = createServer((socket) => {
    came++;
    socket.on('error', () => {}).on('close', () => left++);
    if (isFull()) socket.end();
    else socket.write('SSH-2.0-test\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => server.close());
  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  return { server, open, came: () => came, left: () => left };
}

test('a guest that exists shortly after the first attempt is not waited for any further', async (t) => {
  const clock = new ManualClock();
  const { open } = await greetingServer(t);
  const lost = Promise.withResolvers<Duplex>();
  let tries = 0;
  const reached = untilAnswered(
    clock,
    { open: () => (++tries === 1 ? lost.promise : open()), greets: true },
    LIMIT_MS,
    new AbortController().signal,
  );
  await clock.advance(SOON_MS);
  assert.equal(await reached, true);
  assert.equal(tries, 2);
});

test('of simultaneously established connections one is kept and the others are closed', async (t) => {
  const clock = new ManualClock();
  const { server, open, came, left } = await greetingServer(t);
  const late = Promise.withResolvers<void>();
  let tries = 0;
  const both = () => {
    if (++tries === 2) late.resolve();
    return late.promise.then(open);
  };
  const reached = untilAnswered(clock, { open: both, greets: true }, LIMIT_MS, new AbortController().signal);
  await clock.advance(SOON_MS);
  assert.equal(await reached, true);
  while (left() < tries) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([came(), left()], [tries, tries]);
  await new Promise((resolve) => server.getConnections((_, count) => resolve(assert.equal(count, 0))));
});

test('pending connections are dropped when one is established', {
  skip: process.platform !== 'linux' && 'the kernel of Linux is asked for its sockets',
}, async (t) => {
  const { port, go } = await deafServer(t);
  // Unaccepted connections fill the server's queue: packets of later ones are dropped.
  for (let n = 0; n < 2; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    defer(t, () => socket.destroy());
  }
  const open = (signal: AbortSignal) => connectTo(GUEST, port, signal);
  const reached = untilAnswered(systemClock, { open, greets: true }, LIMIT_MS, new AbortController().signal);
  while ((await underWayTo(port)) < 4) await sleep(10);
  go();
  assert.equal(await reached, true);
  assert.equal(await underWayTo(port), 0);
});

for (const network of [new RoutedNetwork(), new HostClient('/nowhere/host.sock')])
  test(`${network.constructor.name}: a connection that is given up is not begun`, async (t) => {
    defer(t, () => network.close());
    const { open, came } = await greetingServer(t);
    const socket = await open();
    defer(t, () => socket.destroy());
    const { remotePort } = socket;
    const reason = new Error('given up');
    await assert.rejects(network.connect(GUEST, remotePort!, AbortSignal.abort(reason)), reason);
    assert.equal(came(), 1);
  });

test('a server that refuses a connection is retried, and given up after some attempts', async (t) => {
  const clock = new ManualClock();
  let turnedAway = 2;
  const { open, came } = await greetingServer(t, () => turnedAway-- > 0);
  const stream = await settle(clock, openSsh(clock, 'vm_1', open));
  assert.equal(String(stream.read()), 'SSH-2.0-test\r\n');
  stream.destroy();
  assert.equal(came(), 3);
  turnedAway = Infinity;
  await assert.rejects(settle(clock, openSsh(clock, 'vm_1', open)), AgentUnavailableError);
  assert.equal(came(), 3 + 5);
});

/** An SSH server with a short queue that accepts no connection before `go`. */
async function deafServer(t: TestContext): Promise<{ port: number; go(): void }> {
  const script = `
    const server = require('net').createServer((socket) => socket.on('error', () => {}).write('SSH-2.0-test\\r\\n'));
    server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
      console.log(server.address().port);
      process.kill(process.pid, 'SIGSTOP');
    });`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  defer(t, () => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { port: Number(line), go: () => void child.kill('SIGCONT') };
}

/** Returns the number of unanswered connection attempts to a port of this host. */
async function underWayTo(port: number): Promise<number> {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const SYN_SENT = '02';
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  return lines.filter((line) => {
    const [, , to, state] = line.trim().split(/\s+/);
    return to === remote && state === SYN_SENT;
  }).length;
}
