import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { untilAnswered } from '../../../server/compute/inside/banner.ts';
import { ManualClock } from '../../../server/platform/clock.ts';
import { defer } from '../../support/cleanup.ts';

const LIMIT_MS = 60_000;
/** Well below the second after which the kernel sends a lost packet again. */
const SOON_MS = 250;

/** An SSH server that counts who comes and who leaves. */
async function greetingServer(t: TestContext) {
  let [came, left] = [0, 0];
  const server = createServer((socket) => {
    came++;
    socket.on('error', () => {}).on('close', () => left++);
    socket.write('SSH-2.0-test\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => server.close());
  const open = async (): Promise<Duplex> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  return { server, open, came: () => came, left: () => left };
}

test('a guest that is there a moment after it was first tried is not waited for any longer', async (t) => {
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

test('of connections that come about together one is kept and the others are closed', async (t) => {
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
