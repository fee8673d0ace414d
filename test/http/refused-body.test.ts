// Runs on the embedded engine only: it is about bodies that are refused before anything reads them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ALL_SCOPES } from '../../server/access/scopes.ts';
import { createKey } from '../../server/domain/accounts/keys.ts';
import { fundedAccount } from '../billing/support.ts';
import { openInstallation } from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

const SIZE = 1_900_000;
const HALF = Buffer.alloc(SIZE / 2, ' ');
/** More than the service reads of a refused body, and more than all socket buffers hold. */
const FLOOD = 64 * 1024 * 1024;

async function open(t: TestContext) {
  const db = await freshDatabase(t);
  const { services, http, close } = await openInstallation(db);
  defer(t, close);
  const { clock } = services;
  const accountId = await fundedAccount(db, clock);
  const wish = { accountId, name: 'test', scopes: ALL_SCOPES, expiresAt: null, allowCidrs: [] };
  const { key } = await db.transaction((tx) => createKey(tx, clock, wish));
  await http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = http.server.address() as AddressInfo;
  /** A client that keeps sending, whatever it receives. */
  const client = async () => {
    const socket = connect(port, '127.0.0.1');
    defer(t, () => socket.destroy());
    await once(socket, 'connect');
    let heard = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      heard += text;
    });
    // Sending after the service has closed the connection causes errors.
    socket.on('error', () => {});
    const send = (bytes: string | Buffer) =>
      new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
    const head = (length: string, authorization = `Bearer ${key}`) =>
      send(
        `POST /v1/vm HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nIdempotency-Key: a\r\n` +
          `Content-Type: application/json\r\n${length}\r\n\r\n`,
      );
    const answer = async () => {
      while (!/\r\n\r\n.*\}$/s.test(heard)) await once(socket, 'data');
      const taken = heard;
      heard = '';
      return {
        status: Number(taken.split(' ')[1]),
        ends: /^connection: close\r$/im.test(taken),
        text: taken,
      };
    };
    return { socket, send, head, answer, heard: () => heard };
  };
  const untilAsleepOr = async (done: () => boolean) => {
    while (clock.sleeping === 0 && !done()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, client, untilAsleepOr };
}

test('a refused body is read first, so that the answer reaches a client that is still sending', async (t) => {
  const { client, untilAsleepOr } = await open(t);
  for (const [authorization, expected] of [
    [undefined, 413],
    ['Bearer vk_unknown', 401],
  ] as const) {
    const { send, head, answer, heard } = await client();
    // Twice: the connection stays open.
    for (let round = 0; round < 2; round++) {
      await head(`Content-Length: ${SIZE}`, authorization);
      await send(HALF);
      await untilAsleepOr(() => heard() !== '');
      assert.equal(heard(), '', 'answered while the client sends');
      await send(HALF);
      const { status, ends } = await answer();
      assert.deepEqual([status, ends], [expected, false]);
    }
  }
});

test('a body of unknown length is read as far', async (t) => {
  const { client } = await open(t);
  const { send, head, answer } = await client();
  await head('Transfer-Encoding: chunked');
  for (let n = 0; n < 2; n++) await send(`${HALF.length.toString(16)}\r\n${HALF}\r\n`);
  await send('0\r\n\r\n');
  assert.equal((await answer()).status, 413);
});

test('a client that goes silent is answered, and its connection ends', async (t) => {
  const { clock, client } = await open(t);
  const { socket, send, head, answer } = await client();
  await head(`Content-Length: ${SIZE}`);
  await send(HALF);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const answered = answer();
  let over = false;
  void answered.then(() => {
    over = true;
  });
  while (!over) {
    if (clock.sleeping > 0) clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { status, ends } = await answered;
  assert.deepEqual([status, ends], [413, true]);
  await closed;
});

test('not more is read than a bound', async (t) => {
  const { client } = await open(t);
  const { socket, head } = await client();
  await head(`Content-Length: ${FLOOD}`);
  const failure = await new Promise((resolve) => socket.write(Buffer.alloc(FLOOD), resolve));
  assert.ok(failure, 'all of it was taken');
});
