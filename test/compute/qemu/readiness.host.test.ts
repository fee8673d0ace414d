import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  AgentUnavailableError,
  type ComputeDriver,
  type GuestEvent,
} from '../../../server/compute/driver.ts';
import { askAgent } from '../../../server/compute/qemu/guest/guest-agent.ts';
import type { Readiness } from '../../../server/compute/qemu/guest/readiness.ts';
import { SERIAL_RING_BYTES } from '../../../server/compute/qemu/process/arguments.ts';
import { systemClock } from '../../../server/platform/clock.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { inGuest } from './shell.ts';
import { boot, qemuFor, tinySpec } from './support.ts';

const image = (await tinyImage())!;
const skip = await skipWithoutTinyImage();
const KEY = freshKeyPair('test');
/** More output than QEMU's ring buffer holds. */
const FLOOD_BYTES = 2 * SERIAL_RING_BYTES;
/** The overhead of a file and of the guest's other state, in bytes. */
const SLACK_BYTES = 16 * 1024;
const MOVE_SSH =
  "sed -i 's/-p 22$/-p 2222/' /etc/init.d/ssh; sync; (sleep 1; reboot) </dev/null >/dev/null 2>&1 &";

/** Resolves with the next matching event of this guest, or an earlier one if there was one. */
function told(driver: ComputeDriver, id: string, fits: (event: GuestEvent) => boolean): Promise<GuestEvent> {
  return new Promise((resolve) => {
    driver.watch((event) => event.id === id && fits(event) && resolve(event));
  });
}

/** Starts a command through the guest agent, which works without the service. */
async function execute(directory: string, command: string): Promise<{ over(): Promise<boolean> }> {
  const ask = (name: string, args: object) =>
    askAgent(systemClock, join(directory, 'agent.sock'), name, { ...args }) as Promise<never>;
  const { pid }: { pid: number } = await ask('guest-exec', { path: '/bin/sh', arg: ['-c', command] });
  return { over: async () => ((await ask('guest-exec-status', { pid })) as { exited: boolean }).exited };
}

/** Returns the bytes that a guest's directory takes on the host, without its disk. */
async function bytesBeside(directory: string): Promise<number> {
  const names = (await readdir(directory)).filter((name) => !['disk.qcow2', 'seed.iso'].includes(name));
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(directory, name))).blocks * 512),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('a guest whose SSH server moved to another port runs, is metered, and fills no disk', {
  skip,
}, async (t) => {
  const { directory, driver, open } = qemuFor(t, image);
  const spec = tinySpec({ authorizedKeys: [KEY.public] });
  const own = join(directory, spec.id);
  await driver.create(spec);
  await boot(driver, spec.id);
  await inGuest(driver, spec.id, { privateKey: KEY.private }, MOVE_SSH);
  await told(driver, spec.id, ({ type }) => type === 'guest.rebooted');

  await driver.start(spec.id);
  while (!(await driver.inspect(spec.id))!.agent) await pause(50);
  await assert.rejects(driver.openSsh(spec.id), AgentUnavailableError);
  assert.equal((await driver.inspect(spec.id))!.power, 'booting');
  const [before] = await driver.sample([spec.id]);
  await driver.setPassword(spec.id, 'root', 'correct horse');

  const flood = await execute(
    own,
    `yes flood | head -c ${FLOOD_BYTES} >/dev/ttyS0; echo the end >/dev/ttyS0`,
  );
  await pause(100);
  const [after] = await driver.sample([spec.id]);
  assert.ok(after!.cpuSeconds > before!.cpuSeconds);
  assert.match(await readFile(join(own, 'console.log'), 'utf8'), /tiny: up after/);
  // The rest is printed while no service is running.
  await driver.close();
  const bytes = await bytesBeside(own);
  while (!(await flood.over())) await pause(100);
  assert.equal(await bytesBeside(own), bytes, 'written while the service was away');

  const next = open();
  assert.equal((await next.sample([spec.id])).length, 1);
  assert.ok((await bytesBeside(own)) <= bytes + SERIAL_RING_BYTES + SLACK_BYTES);
  assert.match(await readFile(join(own, 'console.log'), 'utf8'), /flood\r\n[flod]*the end\r\n/);
  await next.reboot(spec.id, 60);
  await next.shutdown(spec.id, 120);
  assert.equal((await next.inspect(spec.id))!.power, 'off');
});

test('an image states how its guests report that they are ready', { skip }, async (t) => {
  const images = (['none', 'agent', 'cloud-init', 'port:2222'] as Readiness[]).map((readiness) => {
    const name = readiness.replace(':', '-');
    const readyWithinSeconds = readiness === 'port:2222' ? 1 : undefined;
    return { ...image, name, readiness, readyWithinSeconds };
  });
  const find = async (name: string) => images.find((each) => each.name === name);
  const { directory, driver } = qemuFor(t, image, {
    images: { find, list: async () => images, unreadable: async () => [] },
  });
  const started = async (template: string) => {
    const spec = tinySpec({ template });
    await driver.create(spec);
    await driver.start(spec.id);
    return spec.id;
  };
  const isReady = ({ type }: GuestEvent) => type === 'guest.ready';

  const none = await started('none');
  await told(driver, none, isReady);
  assert.equal((await driver.inspect(none))!.power, 'running');
  await driver.remove(none);

  const late = await started('port-2222');
  const hint = await told(driver, late, ({ waitedFor }) => waitedFor !== undefined);
  assert.deepEqual([hint.type, hint.waitedFor], ['guest.warning', 'port:2222']);
  assert.match(
    hint.message,
    /^The guest runs, but nothing answered on its TCP port 2222 within 1 s of its boot\.$/,
  );
  await driver.remove(late);

  const agent = await started('agent');
  await told(driver, agent, isReady);
  assert.equal((await driver.inspect(agent))!.agent, true);
  await driver.remove(agent);

  const cloud = await started('cloud-init');
  while (!(await driver.inspect(cloud))!.agent) await pause(50);
  assert.equal((await driver.inspect(cloud))!.power, 'booting');
  await execute(join(directory, cloud), 'mkdir /run/cloud-init; echo {} >/run/cloud-init/result.json');
  await told(driver, cloud, isReady);
  assert.equal((await driver.inspect(cloud))!.power, 'running');
});
