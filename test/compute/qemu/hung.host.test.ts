import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Guest } from '../../../server/compute/qemu/guest/guest.ts';
import { GuestAccess } from '../../../server/compute/qemu/guest/guest-access.ts';
import { askAgent } from '../../../server/compute/qemu/guest/guest-agent.ts';
import { createUserNetwork } from '../../../server/compute/qemu/network/user-network.ts';
import { type Clock, systemClock } from '../../../server/platform/clock.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { boot, qemuFor, tinySpec } from './support.ts';

const skip = await skipWithoutTinyImage();
const image = (await tinyImage())!;
/** The driver's waits for a hung machine, which this clock skips. The time limits of QEMU's replies stay real. */
const PATIENCE = [2_000, 5_000];
const clock: Clock = {
  now: systemClock.now,
  sleep: (ms, signal) => systemClock.sleep(PATIENCE.includes(ms) ? 0 : ms, signal),
};

test('a machine that hangs while the service starts keeps no other waiting', { skip }, async (t) => {
  const { directory, driver, open } = qemuFor(t, image);
  const [hung, other] = [tinySpec({ id: 'vm_hung' }), tinySpec({ id: 'vm_other' })];
  for (const spec of [hung, other]) await driver.create(spec);
  await boot(driver, hung.id);
  await driver.close();
  const pid = Number(await readFile(join(directory, hung.id, 'qemu.pid'), 'utf8'));
  process.kill(pid, 'SIGSTOP');
  const after = open({ clock });
  let known = false;
  const state = after.inspect(hung.id).finally(() => {
    known = true;
  });
  assert.equal((await after.inspect(other.id))?.power, 'off');
  await after.resize(other.id, { vcpu: 1, ramMb: 256, diskGb: 1 });
  assert.equal(known, false, 'who asks for the one that hangs waits');
  process.kill(pid, 'SIGCONT');
  assert.equal((await state)?.power, 'running');

  process.kill(pid, 'SIGSTOP');
  assert.deepEqual(await after.sample([hung.id]), []);
  // The hung machine is not even asked again until it has answered.
  assert.deepEqual(await after.sample([hung.id]), []);
  process.kill(pid, 'SIGCONT');
});

test('a service that ends while file systems stand still leaves none so', { skip }, async (t) => {
  const { directory, driver, open } = qemuFor(t, image);
  const spec = tinySpec();
  await driver.create(spec);
  await boot(driver, spec.id);
  await driver.close();
  const guest = await Guest.read(join(directory, spec.id));
  const status = () => askAgent(systemClock, guest.file('agent'), 'guest-fsfreeze-status');
  const inside = new GuestAccess({ clock: systemClock, network: createUserNetwork(systemClock) });
  guest.run = { agentOpen: true } as never;
  const frozen = new Promise<void>((resolve) => {
    // Simulates work that never completes because the service ended during it.
    inside.frozen(guest, () => new Promise(() => resolve()));
  });
  await frozen;
  assert.equal(await status(), 'frozen');
  const record = async () => JSON.parse(await readFile(guest.file('record'), 'utf8'));
  assert.equal((await record()).run.frozen, true);

  const after = open();
  await after.list();
  while ((await record()).run.frozen) await pause(20);
  assert.equal(await status(), 'thawed');
  await after.createSnapshot(spec.id, 'snap_1');
  assert.equal((await record()).run.frozen, false);
});
