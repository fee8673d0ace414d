import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { systemFindVm } from '../../server/db/queries/vms/vms.ts';
import { watchGuests } from '../../server/jobs/reconcilers/watch-guests.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { MetricsSampler } from '../../server/metering/sample-metrics.ts';
import { assertInvariants } from '../support/invariants.ts';
import { Fixture } from './support/fixture.ts';
import { cutPower, reconcile, rename } from './support/guests.ts';
import { unfinishedJobs } from './support/installation.ts';
import { buyVm, comes, eventsOf, powerOf, tenant, vmOf } from './support/landlord.ts';

const NOW = '2026-01-15T00:00:00Z';
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

const ofVm = (id: string, action: string, body?: object) => ({
  method: 'POST' as const,
  path: `/v1/vm/${id}/${action}`,
  body,
});

/** Returns the traffic of the VM's guest, as far as it has been metered. */
async function meteredBytes({ installation }: Fixture, id: string): Promise<bigint> {
  const { services } = installation;
  await new MetricsSampler(services).sample(services.clock.now());
  const [row] = await services.db.query<{ sent: bigint }>(
    sql`select coalesce(sum(out_bytes), 0)::bigint as sent from bandwidth_days where vm_id = ${id}`,
  );
  return row!.sent;
}

test('guests that should run are started after a reboot of their host, and no others', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const customer = await tenant(fixture, 100_00n);
  const running = await buyVm(fixture, customer);
  const rebooted = await buyVm(fixture, customer);
  const stopped = await buyVm(fixture, customer);
  const forced = await buyVm(fixture, customer);
  const neverOn = await buyVm(fixture, customer, { start: false });
  for (const [id, action] of [
    [rebooted, 'reboot'],
    [stopped, 'stop'],
    [forced, 'force-stop'],
  ] as const) {
    await customer.must(ofVm(id, action));
    await fixture.finish();
  }
  const all = [running, rebooted, stopped, forced, neverOn];
  await cutPower(fixture.db, ...all);
  await reconcile(fixture);
  for (const id of [running, rebooted]) {
    assert.deepEqual([(await vmOf(fixture, id)).status, await powerOf(fixture, id)], ['running', 'running']);
    const events = (await eventsOf(fixture, id, NOW)).slice(-3);
    assert.deepEqual(events, ['guest.crashed', 'vm.start_requested', 'vm.started']);
  }
  for (const id of [stopped, forced, neverOn]) {
    assert.deepEqual([(await vmOf(fixture, id)).status, await powerOf(fixture, id)], ['stopped', 'off']);
    assert.equal((await vmOf(fixture, id)).restart_attempts, 0);
  }
  await assertInvariants(fixture.db);
});

test('a guest that was powered off from the inside stays off; one that crashed does not', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const customer = await tenant(fixture, 100_00n);
  const off = await buyVm(fixture, customer, { hostname: 'sim-powers-off' });
  const crashed = await buyVm(fixture, customer, { hostname: 'sim-crashes' });
  const { clock, signals, guests } = fixture.installation.services;
  clock.advance(61 * SECOND_MS);
  const told = [off, crashed].map((id) => signals.nextChange(id, new AbortController().signal));
  const unwatch = watchGuests(fixture.installation.services);
  await Promise.all(told);
  unwatch();
  await guests.run();
  await fixture.finish();
  assert.deepEqual([(await vmOf(fixture, off)).status, await powerOf(fixture, off)], ['stopped', 'off']);
  assert.equal((await vmOf(fixture, off)).wanted_power, 'off');
  assert.deepEqual(
    [(await vmOf(fixture, crashed)).status, await powerOf(fixture, crashed)],
    ['running', 'running'],
  );
});

test('a VM in which nothing answers is created, started and rebooted, and its customer gets a hint', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const customer = await tenant(fixture, 100_00n);
  const { clock, compute } = fixture.installation.services;
  const id = await buyVm(fixture, customer, { hostname: 'sim-no-ssh' });
  for (const action of ['stop', 'start', 'reboot', 'reset-password']) {
    await customer.must(ofVm(id, action));
    await fixture.finish();
    const [job] = await fixture.db.query<{ status: string }>(sql`
      select status from jobs where vm_id = ${id} order by id desc limit 1`);
    assert.equal(job!.status, 'succeeded', action);
  }
  assert.equal((await vmOf(fixture, id)).status, 'running');
  const before = await meteredBytes(fixture, id);
  clock.advance(10 * SECOND_MS);
  assert.ok((await meteredBytes(fixture, id)) > before, 'metered while nothing answers');

  const hint = () =>
    fixture.db.query<{ metadata: object }>(sql`
      select metadata from events where vm_id = ${id} and metadata ? 'waited_for'`);
  assert.deepEqual(await hint(), []);
  clock.advance(5 * 60 * SECOND_MS);
  const unwatch = watchGuests(fixture.installation.services);
  while ((await hint()).length === 0) await new Promise(setImmediate);
  unwatch();
  assert.equal((await hint())[0]!.metadata['waited_for' as never], 'port:22');
  assert.equal((await compute.inspect(id))?.power, 'running');
});

test('no more VMs are started at once than the catalog allows', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const { services } = fixture.installation;
  services.catalog.restart = { at_once: 2 };
  const customer = await tenant(fixture, 1000_00n);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await buyVm(fixture, customer));
  await cutPower(fixture.db, ...ids);
  await services.guests.run();
  services.clock.advance(10 * SECOND_MS);
  await services.guests.run();
  assert.equal((await unfinishedJobs(fixture.db)).length, 2);
  // The end of a start lets the next one begin in the background, so the number of jobs at this point varies.
  for (
    let jobs = await unfinishedJobs(fixture.db);
    jobs.length > 0;
    jobs = await unfinishedJobs(fixture.db)
  ) {
    assert.ok(jobs.length <= 2, `${jobs.length} at once`);
    await fixture.finish();
    await services.guests.run();
    await services.guests.run();
  }
  for (const id of ids) assert.equal(await powerOf(fixture, id), 'running');
});

test('a start that ends during the check of the guests still counts as a running boot', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const { services } = fixture.installation;
  const { clock, compute, guests } = services;
  services.catalog.restart = { at_once: 1 };
  const customer = await tenant(fixture, 1000_00n);
  const ids = [await buyVm(fixture, customer), await buyVm(fixture, customer)];
  // Makes the boot take as long as it may.
  for (const id of ids) await rename(fixture.db, id, 'sim-no-ssh');
  await cutPower(fixture.db, ...ids);
  await guests.run();
  clock.advance(10 * SECOND_MS);
  await guests.run();
  assert.equal((await unfinishedJobs(fixture.db)).length, 1);
  const list = compute.list.bind(compute);
  compute.list = async () => {
    const before = await list();
    await fixture.finish();
    return before;
  };
  await guests.run();
  compute.list = list;
  const powers = await Promise.all(ids.map((id) => powerOf(fixture, id)));
  assert.deepEqual(powers.sort(), ['booting', 'off']);
  assert.deepEqual(await unfinishedJobs(fixture.db), []);
});

test('a guest that ends repeatedly is started at growing intervals, and at once after it ran long enough', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const { services } = fixture.installation;
  const { clock, guests } = services;
  services.catalog.restart = { first_wait_seconds: 30, longest_wait_seconds: 100, stable_after_seconds: 300 };
  const id = await buyVm(fixture, await tenant(fixture, 100_00n));
  const waits: number[] = [];
  for (let n = 0; n < 4; n++) {
    const began = clock.now().getTime();
    await cutPower(fixture.db, id);
    while ((await powerOf(fixture, id)) === 'off') {
      clock.advance(SECOND_MS);
      await guests.run();
      await fixture.finish();
    }
    waits.push((clock.now().getTime() - began) / SECOND_MS);
  }
  // Noticed in the first round and trusted five seconds later; from then on the wait counts from the last start.
  assert.deepEqual(waits, [6, 30, 60, 100]);
  clock.advance(500 * SECOND_MS);
  await guests.run();
  assert.deepEqual(
    [(await vmOf(fixture, id)).restart_attempts, (await vmOf(fixture, id)).restart_next_at],
    [0, null],
  );
});

test('a start by the service that fails is tried again; the policy may forbid it', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const { services } = fixture.installation;
  const id = await buyVm(fixture, await tenant(fixture, 100_00n));
  services.catalog.restart = { policy: 'never' };
  await cutPower(fixture.db, id);
  await reconcile(fixture);
  await reconcile(fixture);
  assert.deepEqual([(await vmOf(fixture, id)).status, await powerOf(fixture, id)], ['stopped', 'off']);
  services.catalog.restart = {};
  await rename(fixture.db, id, 'sim-fail-start-once');
  await reconcile(fixture);
  assert.deepEqual(
    [(await vmOf(fixture, id)).status, (await vmOf(fixture, id)).wanted_power],
    ['stopped', 'on'],
  );
  services.clock.advance(60 * SECOND_MS);
  await services.guests.run();
  await fixture.finish();
  assert.equal(await powerOf(fixture, id), 'running');
});

test('a customer can cancel a pending start', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const { services } = fixture.installation;
  const customer = await tenant(fixture, 100_00n);
  const id = await buyVm(fixture, customer);
  services.catalog.restart = { policy: 'never' };
  await cutPower(fixture.db, id);
  await reconcile(fixture);
  await customer.must(ofVm(id, 'force-stop'));
  await fixture.finish();
  assert.equal((await vmOf(fixture, id)).wanted_power, 'off');
  assert.equal((await customer.call(ofVm(id, 'force-stop'))).error?.code, 'invalid_state');
  services.catalog.restart = {};
  await reconcile(fixture);
  assert.equal(await powerOf(fixture, id), 'off');
});

test('an unpaid or suspended VM is not started, and is once it is paid', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const customer = await tenant(fixture, 699n);
  const { services } = fixture.installation;
  const id = await buyVm(fixture, customer);
  const end = (await vmOf(fixture, id)).billing_period_end_at;
  // The period is over and no renewal has looked at it yet: whether it will be paid is unknown.
  services.clock.set(end);
  await cutPower(fixture.db, id);
  await reconcile(fixture);
  assert.deepEqual([(await vmOf(fixture, id)).status, await powerOf(fixture, id)], ['stopped', 'off']);
  await renewVms(services);
  assert.ok((await vmOf(fixture, id)).unpaid_since);
  await reconcile(fixture);
  assert.equal(await powerOf(fixture, id), 'off', 'in its grace');
  await comes(fixture, new Date(end.getTime() + 73 * HOUR_MS).toISOString());
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  await reconcile(fixture);
  assert.equal(await powerOf(fixture, id), 'off', 'suspended');
  await customer.topUp(100_00n);
  await renewVms(services);
  await fixture.finish();
  await reconcile(fixture);
  assert.deepEqual([(await vmOf(fixture, id)).status, await powerOf(fixture, id)], ['running', 'running']);
  await assertInvariants(fixture.db);
});

test('a VM that was off before its suspension stays off when it is paid', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const customer = await tenant(fixture, 699n);
  const id = await buyVm(fixture, customer);
  await customer.must(ofVm(id, 'stop'));
  await fixture.finish();
  const end = (await vmOf(fixture, id)).billing_period_end_at;
  for (const hours of [1, 73]) await comes(fixture, new Date(end.getTime() + hours * HOUR_MS).toISOString());
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  await customer.topUp(100_00n);
  await renewVms(fixture.installation.services);
  await reconcile(fixture);
  assert.deepEqual([(await vmOf(fixture, id)).status, await powerOf(fixture, id)], ['stopped', 'off']);
});

test('a VM that is deleted, or whose deletion was given up, is not started', async (t) => {
  const fixture = await Fixture.open(t, NOW);
  const customer = await tenant(fixture, 100_00n);
  const id = await buyVm(fixture, customer);
  await fixture.db.query(sql`update vms set deletion_failed_at = now(), status = 'stopped' where id = ${id}`);
  await cutPower(fixture.db, id);
  await reconcile(fixture);
  assert.equal(await powerOf(fixture, id), 'off');
  assert.equal((await systemFindVm(fixture.db, id))?.active_job_id, null);
});
