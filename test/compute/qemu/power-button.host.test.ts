import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { queryObjects } from 'node:v8';
import { GuestEvents } from '../../../server/compute/guest-events.ts';
import { Pool } from '../../../server/compute/qemu/disk/pool.ts';
import { Guest, type GuestRecord } from '../../../server/compute/qemu/guest/guest.ts';
import { Power } from '../../../server/compute/qemu/guest/power.ts';
import { createUserNetwork } from '../../../server/compute/qemu/network/user-network.ts';
import { FILES } from '../../../server/compute/qemu/process/arguments.ts';
import { Cores } from '../../../server/compute/qemu/process/cores.ts';
import { createDirectLauncher } from '../../../server/compute/qemu/process/direct-launcher.ts';
import { type Clock, systemClock } from '../../../server/platform/clock.ts';
import { defer } from '../../support/cleanup.ts';
import { skipUnlessInstalled } from '../../support/tiny-image.ts';
import { connectMonitor, guestsDirectory, stayAlive, tinySpec } from './support.ts';

const UUID = '11111111-2222-4333-8444-555555555555';
const skip = skipUnlessInstalled('qemu-system-x86_64');

/** Skips the pauses between two button presses. The time limits of QEMU's replies are longer and stay real. */
const hastyClock: Clock = {
  now: systemClock.now,
  sleep: (ms, signal) => systemClock.sleep(ms < 10_000 ? 0 : ms, signal),
};

/** A QEMU without a machine: its monitor accepts the power button, and nothing happens. */
async function deafGuest(t: TestContext) {
  defer(t, stayAlive());
  const parent = guestsDirectory();
  defer(t, () => rm(parent, { recursive: true }));
  const directory = join(parent, 'vm_deaf');
  await mkdir(directory);
  const guestEvents = new GuestEvents();
  const run = { since: 0, booted: true, asked: false };
  const { id, hostname, template, vcpu, ramMb, diskGb, mac, addresses } = tinySpec({ id: 'vm_deaf' });
  const known = { id, hostname, template, vcpu, ramMb, diskGb, mac, addresses };
  const record: GuestRecord = {
    ...known,
    uuid: UUID,
    user: 'root',
    snapshots: {},
    policy: null,
    run,
    happenings: [],
  };
  const guest = new Guest(directory, record);
  const files = ['-pidfile', guest.file('pid'), '-qmp', `unix:${guest.file('monitor')},server=on,wait=off`];
  const child = spawn(
    'qemu-system-x86_64',
    ['-machine', 'none', '-nodefaults', '-display', 'none', '-uuid', UUID, ...files],
    { stdio: 'inherit' },
  );
  const ended = once(child, 'exit');
  defer(t, async () => {
    child.kill('SIGKILL');
    await ended;
    await guest.run?.ended;
    await guest.retire();
  });
  (await connectMonitor(join(directory, FILES.monitor), hastyClock)).close();
  const power = new Power({
    clock: hastyClock,
    logger: { warn: console.warn },
    launcher: createDirectLauncher(hastyClock),
    network: createUserNetwork(hastyClock),
    accelerator: 'tcg',
    guestEvents,
    guests: { adopt: async () => {} },
    cores: new Cores(),
    admission: { ready: () => {} },
    inside: { hasFile: async () => false },
    pool: new Pool({ directory: parent }),
  });
  defer(t, () => power.close());
  await power.adopt(guest);
  return { guest, power, child, run: guest.run! };
}

test('a guest that does not hear its power button keeps nothing of the presses', { skip }, async (t) => {
  const { guest, power, run } = await deafGuest(t);
  const press = () => assert.rejects(power.shutDown(guest, run, 300), { name: 'ShutdownTimeoutError' });
  const promises = () => queryObjects(Promise as never, { format: 'count' }) as unknown as number;
  await press();
  const before = promises();
  for (let call = 0; call < 5; call++) await press();
  const more = promises() - before;
  t.diagnostic(`${more} promises more after 300 presses`);
  assert.ok(more < 30, `${more} promises more after 300 presses`);
});

test('the press ends with the machine, with its caller, and with the driver', { skip }, async (t) => {
  const { guest, power, run, child } = await deafGuest(t);
  const hangUp = new AbortController();
  const pressed = power.shutDown(guest, run, 1e6, hangUp.signal);
  hangUp.abort(new Error('hung up'));
  await assert.rejects(pressed, /hung up/);
  const off = power.shutDown(guest, run, 1e6);
  child.kill('SIGKILL');
  await off;
  assert.equal(guest.run, undefined);
});
