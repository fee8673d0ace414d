import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ClientChannel, SFTPWrapper } from 'ssh2';
import { ended, exec, loggedIn, openSetting, runningGuest } from './support.ts';

const LIMIT = { timeout: 300_000 };
const MEBIBYTE = 1_048_576;
const SIZE = 100 * MEBIBYTE;
/**
 * Covers what DiskSpaceWatch holds of data in transit and the windows of both sides. A file held in memory would take
 * all of SIZE.
 */
const GROWTH = 40 * MEBIBYTE;
const LOOK_EVERY = 20 * MEBIBYTE;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Returns the memory that is really in use, without uncollected garbage. */
function memory(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('100 MB go in and out with flat memory', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const client = await loggedIn(t, setting, await runningGuest(setting));
  const open = (command: string) => promisify<string, ClientChannel>(client.exec.bind(client))(command);
  const piece = Buffer.alloc(MEBIBYTE, 'x');
  await exec(setting, client, 'true');

  const up = await open('cat > /tmp/big');
  up.resume();
  const before = memory();
  const growth: number[] = [];
  const uploaded = new Promise((resolve) => up.once('close', resolve));
  for (let sent = 0; sent < SIZE; sent += piece.length) {
    await new Promise<void>((resolve) => up.write(piece, () => resolve()));
    if (sent % LOOK_EVERY === 0) growth.push(memory() - before);
  }
  assertFlat(growth);
  up.end();
  await uploaded;
  assert.equal((await exec(setting, client, 'wc -c /tmp/big')).stdout, `${SIZE} /tmp/big\n`);

  const down = await open('cat /tmp/big');
  growth.length = 0;
  let received = 0;
  for await (const bytes of down as AsyncIterable<Buffer>) {
    if ((received + bytes.length) % LOOK_EVERY < bytes.length) growth.push(memory() - before);
    received += bytes.length;
  }
  assert.equal(received, SIZE);
  assertFlat(growth);
});

/**
 * Memory that is held permanently shows in the lowest of the late samples; the collector may free buffers at any time.
 */
function assertFlat(growth: number[]): void {
  const late = Math.min(...growth.slice(-3));
  assert.ok(late < GROWTH, `${Math.round(late / MEBIBYTE)} MiB more`);
}

test('a command whose reader stops waits, and ends with its connection', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const id = await runningGuest(setting);
  const client = await loggedIn(t, setting, id);
  const channel = await promisify<string, ClientChannel>(client.exec.bind(client))('yes');
  await new Promise((resolve) => channel.once('readable', resolve));
  const before = memory();
  for (let turn = 0; turn < 2_000; turn++) await new Promise(setImmediate);
  assert.ok(memory() - before < GROWTH);
  const closed = ended(client);
  await setting.driver.powerOff(id);
  await closed;
});

test('SFTP puts, gets, lists, renames and removes real files', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const client = await loggedIn(t, setting, await runningGuest(setting));
  const sftp = await promisify<SFTPWrapper>(client.sftp.bind(client))();
  const content = randomBytes(300_000);
  await promisify(
    sftp.writeFile.bind(sftp) as (path: string, data: Buffer, done: (e?: Error | null) => void) => void,
  )('upload.bin', content);
  const read = promisify(
    sftp.readFile.bind(sftp) as (path: string, done: (e: Error | undefined, b: Buffer) => void) => void,
  );
  assert.ok((await read('/home/debian/upload.bin')).equals(content));
  assert.equal((await exec(setting, client, 'wc -c < upload.bin; mkdir in')).stdout, '300000\n');
  await promisify(sftp.rename.bind(sftp))('upload.bin', 'in/moved.bin');
  const list = await promisify(sftp.readdir.bind(sftp))('in');
  assert.deepEqual(
    list.map(({ filename, attrs }) => [filename, attrs.size]),
    [['moved.bin', 300_000]],
  );
  await promisify(sftp.unlink.bind(sftp))('in/moved.bin');
  await assert.rejects(promisify(sftp.stat.bind(sftp))('in/moved.bin'), /No such file/);
  await assert.rejects(read('/etc/shadow'), /Permission denied/);
});

test('an SFTP client that reads no replies is disconnected', LIMIT, async (t) => {
  const setting = await openSetting(t);
  const client = await loggedIn(t, setting, await runningGuest(setting));
  const sftp = await promisify<SFTPWrapper>(client.sftp.bind(client))();
  const handle = await promisify<string, 'r', Buffer>(sftp.open.bind(sftp))('/etc/hostname', 'r');
  const asks = (n: number) =>
    Promise.allSettled(
      Array.from({ length: n }, () => promisify<Buffer, unknown>(sftp.fstat.bind(sftp))(handle)),
    );
  const failed = (results: PromiseSettledResult<unknown>[]) =>
    results.filter(({ status }) => status === 'rejected').length;
  assert.equal(failed(await asks(64)), 0, 'as many as clients keep under way');
  const many = await asks(1_000);
  assert.ok(failed(many) >= 1_000 - 256, `${failed(many)} of 1,000 were not answered`);
  assert.equal((await exec(setting, client, 'echo well')).stdout, 'well\n', 'its connection goes on');
});
