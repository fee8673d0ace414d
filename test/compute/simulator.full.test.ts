import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ComputeUnavailableError, ShutdownTimeoutError } from '../../server/compute/driver.ts';
import { passwordMatches } from '../../server/compute/simulator/guest-os/model/password.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { asleep, BOOT_SECONDS, booted, guestSpec, openTestDatabase, settle, simulator } from './support.ts';

const db = await openTestDatabase();
after(() => db.close());

test('a boot takes its seconds, to the millisecond', async () => {
  const { driver, clock } = simulator(db);
  const spec = guestSpec();
  await driver.create(spec);
  const starting = driver.start(spec.id);
  await asleep(clock, 1);
  clock.advance(BOOT_SECONDS * 1000 - 1);
  assert.equal((await driver.inspect(spec.id))?.power, 'booting');
  clock.advance(1);
  assert.equal((await driver.inspect(spec.id))?.power, 'running');
  await settle(clock, starting);
});

test('a boot continues without any process', async () => {
  const { driver, clock } = simulator(db);
  const spec = guestSpec();
  await driver.create(spec);
  const starting = driver.start(spec.id);
  await asleep(clock, 1);
  await driver.close();
  await assert.rejects(starting, ComputeUnavailableError);
  clock.advance(BOOT_SECONDS * 1000);
  const next = simulator(db, { clock }).driver;
  assert.equal((await next.inspect(spec.id))?.power, 'running');
  await next.start(spec.id);
});

test('a guest shuts down on request even if no caller waits', async () => {
  const { driver, clock } = simulator(db);
  const id = await booted(driver, clock);
  const giveUp = new AbortController();
  const stopping = driver.shutdown(id, 60, giveUp.signal);
  await asleep(clock, 1);
  giveUp.abort();
  await assert.rejects(stopping, { name: 'AbortError' });
  clock.advance(60_000);
  assert.equal((await driver.inspect(id))?.power, 'off');
});

test('a shutdown that needs longer than it is given times out, and the guest stays on', async () => {
  const { driver, clock } = simulator(db, { shutdownSeconds: 20 });
  const id = await booted(driver, clock);
  await assert.rejects(settle(clock, driver.shutdown(id, 19)), ShutdownTimeoutError);
  clock.advance(60_000);
  assert.equal((await driver.inspect(id))?.power, 'running');
});

test('start keeps a guest on that was about to go off', async () => {
  const { driver, clock } = simulator(db);
  const id = await booted(driver, clock);
  const stopping = driver.shutdown(id, 60);
  await asleep(clock, 1);
  await driver.start(id);
  await assert.rejects(settle(clock, stopping), ShutdownTimeoutError);
  assert.equal((await driver.inspect(id))?.power, 'running');
});

for (const cut of ['powerOff', 'remove'] as const) {
  test(`${cut} by another process ends a start that waits`, async () => {
    const { driver, clock } = simulator(db);
    const other = simulator(db, { clock }).driver;
    const spec = guestSpec();
    await driver.create(spec);
    const starting = driver.start(spec.id);
    await asleep(clock, 1);
    await other[cut](spec.id);
    const begun = clock.now().getTime();
    await assert.rejects(settle(clock, starting), /ended while it was booting/);
    assert.ok(clock.now().getTime() - begun <= 2_500, 'noticed long before the boot would have ended');
  });
}

test('a reboot is a stop and a boot, and joins one that is under way', async () => {
  const { driver, clock } = simulator(db, { shutdownSeconds: 5 });
  const id = await booted(driver, clock);
  const begun = clock.now().getTime();
  const first = driver.reboot(id, 60);
  await asleep(clock, 1);
  clock.advance(5_000);
  assert.equal((await driver.inspect(id))?.power, 'booting');
  await settle(clock, Promise.all([first, driver.reboot(id, 60)]));
  assert.equal(clock.now().getTime() - begun, 5_000 + BOOT_SECONDS * 1000);
});

test('changes that meet are all kept', async () => {
  const { driver, clock } = simulator(db);
  const id = await booted(driver, clock);
  const keys = Array.from({ length: 20 }, (_, n) => `ssh-ed25519 AAAA key-${n}`);
  await Promise.all(keys.map((key) => driver.authorizeKey(id, key)));
  assert.deepEqual((await new SimulatorGuests(db).readGuest(id))?.authorizedKeys.toSorted(), keys.toSorted());
});

test('passwords are stored as hashes that can be checked', async () => {
  const { driver, clock } = simulator(db);
  const spec = guestSpec('web', { password: 'initial-secret' });
  await driver.create(spec);
  await settle(clock, driver.start(spec.id));
  await driver.setPassword(spec.id, 'root', 'later-secret');
  const guest = (await new SimulatorGuests(db).readGuest(spec.id))!;
  assert.doesNotMatch(JSON.stringify(guest), /secret/);
  assert.ok(passwordMatches(guest.initialPassword!, 'initial-secret'));
  assert.ok(passwordMatches(guest.passwords.root!, 'later-secret'));
  assert.ok(!passwordMatches(guest.passwords.root!, 'initial-secret'));
});

test('network rules can be read back', async () => {
  const { driver } = simulator(db);
  const spec = guestSpec();
  await driver.create(spec);
  const policy = { defaultIn: 'drop', defaultOut: 'accept', firewall: [], portForwards: [] } as const;
  await driver.applyNetwork(spec.id, { ...policy, firewall: [], portForwards: [] });
  assert.deepEqual((await new SimulatorGuests(db).readGuest(spec.id))?.network, policy);
});

test('on the real clock it runs automatically', async () => {
  const { driver } = simulator(db, { clock: systemClock, bootSeconds: 0.05 });
  const spec = guestSpec();
  await driver.create(spec);
  let up = false;
  const starting = driver.start(spec.id).then(() => {
    up = true;
  });
  // Keeps the process alive, which the real clock's timers do not.
  while (!up) await new Promise(setImmediate);
  await starting;
  assert.equal((await driver.inspect(spec.id))?.power, 'running');
  await driver.remove(spec.id);
});
