import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  AgentUnavailableError,
  CapacityError,
  type ComputeDriver,
  ComputeUnavailableError,
  ShutdownTimeoutError,
} from '../../server/compute/driver.ts';
import type { Operation } from '../../server/compute/simulator/sentinels.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import {
  BOOT_SECONDS,
  booted,
  eventsUntil,
  guestSpec,
  MINUTE_MS,
  openTestDatabase,
  settle,
  simulator,
} from './support.ts';

const db = await openTestDatabase();
after(() => db.close());

const POLICY = { defaultIn: 'drop' as const, defaultOut: 'accept' as const, firewall: [], portForwards: [] };
const SIZE = { vcpu: 4, ramMb: 4096, diskGb: 40 };

/** Every failure sentinel, the state in which its operation otherwise works, and the operation. */
const FAILURES: [string, 'off' | 'running', (driver: ComputeDriver, id: string) => Promise<unknown>][] = [
  ['sim-fail-create', 'off', (driver, id) => driver.create(guestSpec('', { id }))],
  ['sim-fail-start', 'off', (driver, id) => driver.start(id)],
  ['sim-fail-shutdown', 'running', (driver, id) => driver.shutdown(id, 60)],
  ['sim-fail-poweroff', 'running', (driver, id) => driver.powerOff(id)],
  ['sim-fail-reboot', 'running', (driver, id) => driver.reboot(id, 60)],
  ['sim-fail-remove', 'off', (driver, id) => driver.remove(id)],
  ['sim-fail-resize', 'off', (driver, id) => driver.resize(id, SIZE)],
  ['sim-fail-password', 'running', (driver, id) => driver.setPassword(id, 'root', 'correct horse')],
  ['sim-fail-key', 'running', (driver, id) => driver.authorizeKey(id, 'ssh-ed25519 AAAA')],
  ['sim-fail-snapshot', 'off', (driver, id) => driver.createSnapshot(id, 'snap_1')],
  ['sim-fail-delete-snapshot', 'off', (driver, id) => driver.deleteSnapshot(id, 'snap_1')],
  ['sim-fail-network', 'running', (driver, id) => driver.applyNetwork(id, POLICY)],
];

for (const [sentinel, power, operation] of FAILURES) {
  for (const once of [false, true]) {
    const hostname = once ? `${sentinel}-once` : sentinel;
    test(`${hostname} fails ${once ? 'the first time' : 'each time'}`, async () => {
      const { driver, clock } = simulator(db);
      const spec = guestSpec(hostname);
      if (sentinel !== 'sim-fail-create') await driver.create(spec);
      else await assert.rejects(driver.create(spec), Error);
      if (power === 'running') await settle(clock, driver.start(spec.id));
      const again = () => settle(clock, operation(driver, spec.id));
      if (once) {
        if (sentinel !== 'sim-fail-create') await assert.rejects(again(), ComputeUnavailableError);
        await again();
      } else {
        await assert.rejects(again(), /hostname makes/);
        await assert.rejects(again(), /hostname makes/);
      }
    });
  }
}

test('a create that failed may leave a guest behind, which remove clears away', async () => {
  const { driver } = simulator(db);
  const spec = guestSpec('sim-fail-create');
  await assert.rejects(driver.create(spec), Error);
  assert.ok((await driver.list()).some(({ id }) => id === spec.id));
  await driver.remove(spec.id);
  assert.equal(await driver.inspect(spec.id), undefined);
});

test('a failure that has happened once is remembered across restarts', async () => {
  const { driver } = simulator(db);
  const spec = guestSpec('sim-fail-remove-once');
  await driver.create(spec);
  await assert.rejects(driver.remove(spec.id), ComputeUnavailableError);
  await driver.close();
  await simulator(db).driver.remove(spec.id);
});

test('sim-unavailable: the engine seems to be away, and creates nothing', async () => {
  const { driver } = simulator(db);
  const spec = guestSpec('sim-unavailable');
  await assert.rejects(driver.create(spec), ComputeUnavailableError);
  assert.equal(await driver.inspect(spec.id), undefined);
});

test('sim-ignores-shutdown: stopping takes the whole time-out, and fails', async () => {
  const { driver, clock } = simulator(db);
  const id = await booted(driver, clock, 'sim-ignores-shutdown');
  const begun = clock.now().getTime();
  await assert.rejects(settle(clock, driver.shutdown(id, 60)), ShutdownTimeoutError);
  assert.equal(clock.now().getTime() - begun, MINUTE_MS);
});

test('sim-no-agent: nothing inside answers', async () => {
  const { driver, clock } = simulator(db);
  const id = await booted(driver, clock, 'sim-no-agent');
  await assert.rejects(driver.setPassword(id, 'root', 'correct horse'), AgentUnavailableError);
  await assert.rejects(driver.authorizeKey(id, 'ssh-ed25519 AAAA'), AgentUnavailableError);
});

test('sim-no-ssh: runs, takes a password, and is reported once after five minutes', async () => {
  const { driver, clock } = simulator(db);
  const id = await booted(driver, clock, 'sim-no-ssh');
  const due = new Date(clock.now().getTime() + 5 * MINUTE_MS);
  assert.equal((await driver.inspect(id))?.power, 'booting');
  await driver.setPassword(id, 'root', 'correct horse');
  const later = new Date(due.getTime() + 10 * MINUTE_MS);
  const hints = (await eventsUntil(driver, clock, later, 5_000)).filter(
    (event) => event.id === id && event.waitedFor,
  );
  assert.deepEqual(
    hints.map(({ type, waitedFor, at }) => [type, waitedFor, at]),
    [['guest.warning', 'port:22', due]],
  );
  assert.equal((await driver.inspect(id))?.power, 'running');
});

test('sim-slow-boot: a boot takes ten times as long', async () => {
  const { driver, clock } = simulator(db);
  const begun = clock.now().getTime();
  await booted(driver, clock, 'sim-slow-boot');
  assert.equal(clock.now().getTime() - begun, 10 * BOOT_SECONDS * 1000);
});

for (const [hostname, type] of [
  ['sim-crashes', 'guest.crashed'],
  ['sim-powers-off', 'guest.powered_off'],
] as const) {
  test(`${hostname}: off a minute after the boot, and it is reported under one key`, async () => {
    const { driver, clock } = simulator(db);
    const id = await booted(driver, clock, hostname);
    const end = new Date(clock.now().getTime() + MINUTE_MS);
    const later = new Date(end.getTime() + MINUTE_MS);
    const seen = (await eventsUntil(driver, clock, later, 5_000)).filter((event) => event.id === id);
    assert.deepEqual(
      seen.map((event) => [event.type, event.at]),
      [[type, end]],
    );
    assert.equal((await driver.inspect(id))?.power, 'off');
    const again = (await eventsUntil(driver, clock, later, 5_000)).filter((event) => event.id === id);
    assert.deepEqual(again, seen);
    await settle(clock, driver.start(id));
    assert.equal((await driver.inspect(id))?.power, 'running');
  });
}

test('a guest that does not fit is neither created nor enlarged', async () => {
  const vcpu = (await new SimulatorGuests(db).usedResources('simulator')).vcpu + 4;
  const { driver } = simulator(db, { capacity: { vcpu } });
  const size = { vcpu: 2, ramMb: 1024, diskGb: 10 };
  const [first, second, third] = [guestSpec('web', size), guestSpec('web', size), guestSpec('web', size)];
  await driver.create(first);
  await driver.create(second);
  await assert.rejects(driver.create(third), CapacityError);
  await assert.rejects(driver.resize(first.id, { ...size, vcpu: 3 }), CapacityError);
  await driver.resize(first.id, { ...size, vcpu: 1 });
  await driver.create({ ...third, vcpu: 1 });
  // Creating an existing guest again succeeds even if nothing is free.
  await driver.create(second);
});

test('a fault injector sees every change before it happens', async () => {
  const seen: Operation[] = [];
  const fault = new Error('injected');
  const { driver } = simulator(db, {
    faults(operation) {
      seen.push(operation);
      throw fault;
    },
  });
  const spec = guestSpec();
  await assert.rejects(driver.create(spec), fault);
  assert.equal(await driver.inspect(spec.id), undefined);
  for (const [, , operation] of FAILURES) await assert.rejects(operation(driver, spec.id), fault);
  assert.equal(new Set(seen).size, FAILURES.length);
});
