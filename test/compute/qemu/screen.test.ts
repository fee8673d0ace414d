import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connectScreen } from '../../../server/compute/qemu/guest/screen.ts';
import { defer } from '../../support/cleanup.ts';

/** Creates a machine with its screen on a socket; `serve` handles each connection. */
async function machine(t: TestContext, serve: (socket: Socket) => void): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-'));
  defer(t, () => rm(directory, { recursive: true }));
  const server = createServer((socket) => serve(socket.on('error', () => {})));
  const path = join(directory, 'vnc.sock');
  await once(server.listen(path), 'listening');
  defer(t, () => server.close());
  return path;
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('output before there is a listener is not lost', async (t) => {
  const path = await machine(t, (socket) => socket.write('RFB 003.008\n'));
  const stream = await connectScreen(path);
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  const [greeting] = await once(stream, 'data');
  assert.equal(String(greeting), 'RFB 003.008\n');
  stream.destroy();
  for await (const bytes of await connectScreen(path)) {
    assert.equal(String(bytes), 'RFB 003.008\n');
    break;
  }
});

test('a chunk stays unchanged while its reader pauses the stream', async (t) => {
  const picture = Buffer.alloc(4_000_000);
  for (let at = 0; at < picture.length; at++) picture[at] = (at * 31 + (at >> 8)) & 255;
  const path = await machine(t, (socket) => socket.end(picture));
  const stream = await connectScreen(path);
  const kept: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    stream.pause();
    // Much later than the next read would have happened.
    setImmediate(() =>
      setImmediate(() => {
        kept.push(Buffer.from(chunk));
        stream.resume();
      }),
    );
  });
  await once(stream, 'end');
  assert.equal(digest(Buffer.concat(kept)), digest(picture));
});

test('both ends notice the end of the other', async (t) => {
  const left = Promise.withResolvers<void>();
  const path = await machine(t, (socket) => socket.on('close', left.resolve).resume());
  const stream = await connectScreen(path);
  stream.destroy();
  await left.promise;
  const gone = await connectScreen(await machine(t, (socket) => socket.destroy()));
  gone.resume();
  await once(gone, 'close');
  await assert.rejects(connectScreen('/nowhere/vnc.sock'), /ENOENT/);
});
