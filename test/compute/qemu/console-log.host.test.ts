import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { consoleTail, keepConsoleLog } from '../../../server/compute/qemu/guest/console-log.ts';
import { SERIAL_RING, SERIAL_RING_BYTES } from '../../../server/compute/qemu/process/arguments.ts';
import { type Clock, systemClock } from '../../../server/platform/clock.ts';
import { defer } from '../../support/cleanup.ts';
import { skipUnlessInstalled, skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { connectMonitor, guestsDirectory, qemuFor, stayAlive, tinySpec } from './support.ts';

const skip = skipUnlessInstalled('qemu-system-x86_64');
const skipTiny = await skipWithoutTinyImage();
const MEGABYTE = 2 ** 20;
/** A clock on which QEMU's replies may take a hundred times longer, for busy machines. */
const patientClock: Clock = {
  now: systemClock.now,
  sleep: (ms, signal) => systemClock.sleep(ms * 100, signal),
};

/** A QEMU without a machine that accepts what a guest would write to its serial port. */
async function ringOnly(t: TestContext) {
  defer(t, stayAlive());
  const directory = guestsDirectory();
  defer(t, () => rm(directory, { recursive: true }));
  const socket = join(directory, 'qmp.sock');
  const ring = ['-chardev', `ringbuf,id=${SERIAL_RING},size=${SERIAL_RING_BYTES}`];
  const place = ['-machine', 'none', '-nodefaults', '-display', 'none'];
  const child = spawn('qemu-system-x86_64', [...place, ...ring, '-qmp', `unix:${socket},server=on,wait=off`]);
  const ended = once(child, 'exit');
  defer(t, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const monitor = await connectMonitor(socket, patientClock);
  defer(t, () => monitor.close());
  const write = async (text: string) => {
    const data = Buffer.from(text).toString('base64');
    await monitor.execute('ringbuf-write', { device: SERIAL_RING, data, format: 'base64' });
  };
  return { monitor, write, path: join(directory, 'console.log') };
}

test('a console log has all that a guest wrote, and stays within a megabyte', { skip }, async (t) => {
  const { monitor, write, path } = await ringOnly(t);
  await write('first\r\n\xff\0\x1b[1msecond\x1b[0m\r\n');
  await keepConsoleLog(monitor, path);
  await write('third\r\n');
  await keepConsoleLog(monitor, path);
  await keepConsoleLog(monitor, path);
  assert.match(await readFile(path, 'latin1'), /^first\r\n.*second.*\r\nthird\r\n$/s);
  assert.match(await consoleTail(path), /^first\n.*second\nthird$/);

  for (let n = 0; n < 30; n++) {
    await write(`${n} `.repeat(20_000));
    await keepConsoleLog(monitor, path);
    assert.ok((await stat(path)).size <= MEGABYTE);
  }
  assert.match(await readFile(path, 'latin1'), /28 29 [29 ]*$/);

  // Nothing is read for a while.
  for (let n = 0; n < 30; n++) await write(`${n}`.repeat(20_000));
  await write('the end');
  await rm(path);
  await keepConsoleLog(monitor, path);
  const log = await readFile(path, 'latin1');
  assert.ok(log.length > SERIAL_RING_BYTES / 2 && log.length <= SERIAL_RING_BYTES, `${log.length} bytes`);
  assert.ok(log.endsWith('29the end'));
});

test('a log that a machine writes itself is cut', { skip }, async (t) => {
  const { monitor, write, path } = await ringOnly(t);
  await writeFile(path, 'begin');
  await truncate(path, 9 * MEGABYTE);
  await write('end');
  await keepConsoleLog(monitor, path);
  assert.ok((await stat(path)).size <= MEGABYTE);
  assert.ok((await readFile(path, 'latin1')).endsWith('\0end'));
});

test('a file that a guest could put in place of its log is neither written nor read', { skip }, async (t) => {
  const { monitor, write, path } = await ringOnly(t);
  const secret = `${path}.secret`;
  await writeFile(secret, 'secret');
  for (const plant of [symlink, link]) {
    await plant(secret, path);
    await write('words');
    await keepConsoleLog(monitor, path);
    assert.equal(await consoleTail(path), '');
    assert.equal(await readFile(secret, 'utf8'), 'secret');
    await rm(path);
  }
});

test("QEMU's own output is bounded, and starts over after a cut", {
  skip: skipTiny,
}, async (t) => {
  const { directory, driver } = qemuFor(t, (await tinyImage())!);
  const spec = tinySpec();
  const { id } = spec;
  await driver.create(spec);
  await driver.start(id);
  const monitor = await connectMonitor(join(directory, id, 'net.sock'), patientClock);
  defer(t, () => monitor.close());
  const log = join(directory, id, 'qemu.log');
  const size = async () => (await stat(log)).size;
  const say = (what: string) => monitor.execute('human-monitor-command', { 'command-line': `log ${what}` });
  for (let round = 0; round < 2; round++) {
    const before = await size();
    // QEMU logs every interrupt in several lines; no guest can make it write more.
    await say('int');
    while ((await size()) < before + MEGABYTE) await pause(20);
    await say('none');
    await driver.sample([id]);
    assert.ok((await size()) <= 64 * 1024, `${await size()} bytes`);
    assert.doesNotMatch(await readFile(log, 'latin1'), /\0/);
  }
});
