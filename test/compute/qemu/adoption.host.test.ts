import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type ComputeDriver,
  ComputeUnavailableError,
  type GuestEvent,
  type NetworkPolicy,
} from '../../../server/compute/driver.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { inGuest } from './shell.ts';
import { boot, qemuFor, tinySpec } from './support.ts';

const image = (await tinyImage())!;
const skip = await skipWithoutTinyImage();
const KEY = freshKeyPair('test');
const LOGIN = { privateKey: KEY.private };

/** Runs `command` after the connection has ended; otherwise its output would be lost. */
const soon = (command: string) => `(sleep 1; ${command}) </dev/null >/dev/null 2>&1 &`;

/** Resolves with the next event of this type, or an earlier one if there was one. */
function told(driver: ComputeDriver, type: GuestEvent['type']): Promise<GuestEvent> {
  return new Promise((resolve) => {
    driver.watch((event) => event.type === type && resolve(event));
  });
}

async function pidOf(directory: string, id: string): Promise<number> {
  return Number(await readFile(join(directory, id, 'qemu.pid'), 'utf8'));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

test('guests outlive the service, and their own actions are reported', { skip }, async (t) => {
  const { directory, driver, open } = qemuFor(t, image);
  const spec = tinySpec({ authorizedKeys: [KEY.public] });
  await driver.create(spec);
  await boot(driver, spec.id);
  const bootId = () => inGuest(last, spec.id, LOGIN, 'cat /proc/sys/kernel/random/boot_id');
  let last = driver;
  const before = await bootId();
  await driver.close();

  last = open();
  assert.equal((await last.inspect(spec.id))?.power, 'running');
  assert.equal(await bootId(), before, 'it was not rebooted');

  const rebooted = told(last, 'guest.rebooted');
  await inGuest(last, spec.id, LOGIN, soon('reboot -f'));
  assert.equal((await rebooted).id, spec.id);
  await boot(last, spec.id);
  assert.notEqual(await bootId(), before);

  const crashed = told(last, 'guest.crashed');
  process.kill(await pidOf(directory, spec.id), 'SIGKILL');
  const { key, consoleLog } = await crashed;
  assert.match(consoleLog!, /tiny: up after/);
  assert.equal((await last.inspect(spec.id))?.power, 'off');
  await last.close();

  last = open();
  await last.list();
  assert.equal((await told(last, 'guest.crashed')).key, key, 'told again under the same key');
  await boot(last, spec.id);
  const poweredOff = told(last, 'guest.powered_off');
  await inGuest(last, spec.id, LOGIN, soon('poweroff -f'));
  assert.equal((await poweredOff).level, 'info');
  assert.equal((await last.inspect(spec.id))?.power, 'off');
});

test('events while the service was away are reported after its start', { skip }, async (t) => {
  const { directory, driver, open } = qemuFor(t, image);
  const spec = tinySpec({ password: 'correct horse' });
  await driver.create(spec);
  const external = await freePort();
  const policy: NetworkPolicy = {
    defaultIn: 'accept',
    defaultOut: 'accept',
    firewall: [],
    portForwards: [
      {
        protocol: 'tcp',
        publicIp: '192.0.2.1',
        externalPort: external,
        internalIp: '192.0.2.10',
        internalPort: 22,
      },
    ],
  };
  await boot(driver, spec.id);
  await driver.applyNetwork(spec.id, policy);
  const visitor = connect(external, '127.0.0.1');
  const [greeting] = (await once(visitor, 'data')) as [Buffer];
  assert.match(greeting.toString(), /^SSH-/);
  visitor.destroy();
  await driver.applyNetwork(spec.id, { ...policy, defaultIn: 'drop' });
  await assert.rejects(once(connect(external, '127.0.0.1'), 'connect'), /ECONNREFUSED/);

  assert.match(await inGuest(driver, spec.id, { password: 'correct horse' }, 'hostname'), /^web\n/);
  const pid = await pidOf(directory, spec.id);
  await driver.close();
  process.kill(pid, 'SIGKILL');
  const next = open();
  await next.list();
  assert.equal((await told(next, 'guest.crashed')).id, spec.id);
  assert.equal((await next.inspect(spec.id))?.power, 'off');
});

test('a machine that hung while the service started is unseen, not off, and adopted without another start', {
  skip,
}, async (t) => {
  const { directory, driver, open } = qemuFor(t, image);
  const spec = tinySpec();
  await driver.create(spec);
  await boot(driver, spec.id);
  const pid = await pidOf(directory, spec.id);
  await driver.close();
  process.kill(pid, 'SIGSTOP');
  const next = open();
  const sight = async () => (await next.list()).find(({ id }) => id === spec.id)?.power;
  assert.equal(await sight(), 'unknown');
  await assert.rejects(next.shutdown(spec.id, 5), ComputeUnavailableError);
  await assert.rejects(next.inspect(spec.id), ComputeUnavailableError);
  assert.equal(await pidOf(directory, spec.id), pid);
  process.kill(pid, 'SIGCONT');
  while ((await sight()) !== 'running') await new Promise((resolve) => setTimeout(resolve, 50));
  await next.shutdown(spec.id, 60);
  assert.equal(await sight(), 'off');
});

test('an unfinished guest directory is deleted', { skip }, async (t) => {
  const { directory, driver } = qemuFor(t, image);
  await mkdir(join(directory, '.new-vm_half'));
  await mkdir(join(directory, '.gone-vm_gone'));
  assert.deepEqual(await driver.list(), []);
  // The file that identifies the engine stays: it belongs to the host.
  assert.deepEqual(await readdir(directory), ['engine.id']);
});
