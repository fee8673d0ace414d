// Runs on both engines: session locks differ.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, sql } from '../../server/db/database.ts';
import { forAnotherNode, SHARED_SETTINGS, skipWithoutPostgres } from '../chaos/support/another-node.ts';
import { Customer, newCustomer, type Target } from '../chaos/support/customer.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../support/database.ts';
import { assertInvariants } from '../support/invariants.ts';
import { type Service, startService } from '../support/service.ts';

const CREATE = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
/** Long enough to do something in the meantime, short enough to wait for. */
const BOOT = { ...SHARED_SETTINGS, VAUBAN_SIMULATOR_BOOT_SECONDS: '1.5' };
/** Long enough that a job waiting for it never ends within the test. */
const ENDLESS_BOOT = { ...SHARED_SETTINGS, VAUBAN_SIMULATOR_BOOT_SECONDS: '3600' };

/** Orders a VM and waits until its job waits for the boot. */
async function bootingVm(customer: Customer): Promise<string> {
  const { vm } = await customer.ask('POST', '/v1/vm', CREATE);
  const { active_job } = await customer.until(vm.id, ({ active_job: job }) => !job || job.progress >= 66);
  assert.equal(active_job?.status, 'running');
  return vm.id;
}

async function jobsOf(customer: Customer, vmId: string): Promise<string[]> {
  const jobs: { kind: string; status: string }[] = await customer.ask(
    'GET',
    `/v1/vm/${vmId}/jobs?status=all`,
  );
  return jobs.map(({ kind, status }) => `${kind} ${status}`);
}

async function balance(customer: Customer) {
  const { available_minor, held_minor } = await customer.ask('GET', '/v1/billing/wallet');
  return { available_minor, held_minor };
}

/** Opens the database of a stopped service. */
async function inspect(location: DatabaseLocation, look: (db: Database) => Promise<void>): Promise<void> {
  const db = await location.open();
  await look(db).finally(() => db.close());
}

const at = (target: Target, { accountId, key, keyId: id }: Customer) =>
  new Customer(target, accountId, { key, id });

test('a job whose node is killed is taken up by another', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const location = await freshDatabaseLocation(t);
  const first = await startService(t, { env: BOOT, location });
  const customer = await newCustomer(first);
  const vmId = await bootingVm(customer);
  const second = await startService(t, { env: BOOT, location: await forAnotherNode(t, location) });
  const doomed = await bootingVm(customer).then((id) => id);
  await first.kill();
  const there = at(second, customer);
  for (const id of [vmId, doomed]) {
    assert.equal((await there.settled(id)).status, 'running');
    assert.deepEqual(await jobsOf(there, id), ['create succeeded']);
  }
  assert.deepEqual(await balance(there), { available_minor: 10_000 - 2 * 399, held_minor: 0 });
  await second.stop();
  await inspect(location, assertInvariants);
});

test('a VM whose node was killed can be deleted at another', { skip: skipWithoutPostgres }, async (t) => {
  const location = await freshDatabaseLocation(t);
  const first = await startService(t, { env: ENDLESS_BOOT, location });
  const customer = await newCustomer(first);
  const vmId = await bootingVm(customer);
  const second = await startService(t, { env: ENDLESS_BOOT, location: await forAnotherNode(t, location) });
  await first.kill();
  const there = at(second, customer);
  await there.ask('DELETE', `/v1/vm/${vmId}`);
  assert.equal(await there.settled(vmId), undefined);
  assert.deepEqual(await balance(there), { available_minor: 10_000, held_minor: 0 });
  await second.stop();
  await inspect(location, assertInvariants);
});

test('a service that stops in the middle of a job releases it, and the next start finishes it', async (t) => {
  const location = await freshDatabaseLocation(t);
  const first = await startService(t, { env: BOOT, location });
  const customer = await newCustomer(first);
  const vmId = await bootingVm(customer);
  await first.stop();
  await inspect(location, async (db) => {
    const [job] = await db.query(sql`select status, owner from jobs`);
    assert.deepEqual(job, { status: 'running', owner: null });
    await assertInvariants(db);
  });
  const second = await startService(t, { env: BOOT, location });
  const there = at(second, customer);
  assert.equal((await there.settled(vmId)).status, 'running');
  assert.deepEqual(await jobsOf(there, vmId), ['create succeeded']);
  assert.deepEqual(await balance(there), { available_minor: 10_000 - 399, held_minor: 0 });
});

test('cutting the power pre-empts a stop that the guest ignores', async (t) => {
  const service = await startService(t, { env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0' } });
  const customer = await newCustomer(service);
  const { vm } = await customer.ask('POST', '/v1/vm', { ...CREATE, hostname: 'sim-ignores-shutdown' });
  await customer.settled(vm.id);
  await customer.ask('POST', `/v1/vm/${vm.id}/stop`, { timeout_seconds: 300 });
  await customer.until(vm.id, ({ active_job }) => active_job?.status === 'running');
  await customer.ask('POST', `/v1/vm/${vm.id}/force-stop`);
  assert.equal((await customer.settled(vm.id)).status, 'stopped');
  assert.deepEqual(await jobsOf(customer, vm.id), [
    'force_stop succeeded',
    'stop canceled',
    'create succeeded',
  ]);
});

test('deleting a VM that is being created returns everything', async (t) => {
  const location = await freshDatabaseLocation(t);
  const service: Service = await startService(t, { env: ENDLESS_BOOT, location });
  const customer = await newCustomer(service);
  const vmId = await bootingVm(customer);
  assert.deepEqual(await balance(customer), { available_minor: 10_000 - 399, held_minor: 399 });
  const { refund } = await customer.ask('DELETE', `/v1/vm/${vmId}`);
  assert.equal(refund.amount_minor, 0);
  assert.equal(await customer.settled(vmId), undefined);
  assert.deepEqual(await balance(customer), { available_minor: 10_000, held_minor: 0 });
  await service.stop();
  await inspect(location, async (db) => {
    await assertInvariants(db);
    assert.deepEqual(await db.query(sql`select kind, status from jobs order by id`), [
      { kind: 'create', status: 'canceled' },
      { kind: 'delete', status: 'succeeded' },
    ]);
    assert.deepEqual(await db.query(sql`select id from simulator_guests`), []);
  });
});
