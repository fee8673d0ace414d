import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Customer } from '../jobs/support/customer.ts';
import { type Fixture, PURCHASE } from '../jobs/support/fixture.ts';
import { buyVm } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { change, give, held, look, planOf, throttling } from './throttle-support.ts';
import { billing, open, send } from './usage-support.ts';

/**
 * Schemes to get traffic below its price; each test shows the resulting cost. An s2 costs 6.99 per month, an s4 12.99.
 */

const FUNDS = 500_00n;
const spent = async (customer: Customer) => FUNDS - (await customer.wallet()).available_minor;
const at = ({ installation }: Fixture, instant: string) => installation.services.clock.set(new Date(instant));
const speed = async (fixture: Fixture, id: string) => {
  await look(fixture);
  return (await held(fixture, id))[0];
};

test('a VM that is deleted early is refunded only the price of its unused traffic', async (t) => {
  const { fixture, customer } = await throttling(t);
  // Refunds after one of 31 days; a day's share of the traffic is 32 GB.
  const sales: [number, number][] = [
    [5000, 0],
    [1000, 0],
    [500, 349],
    [100, 628],
    [0, 676],
  ];
  const vms: [string, number][] = [];
  for (const [gb, refund] of sales) {
    const id = await buyVm(fixture, customer);
    await send(fixture, id, '2026-01-01', gb);
    vms.push([id, refund]);
  }
  at(fixture, '2026-01-02T00:00:00Z');
  for (const [id, refund] of vms) assert.equal(await give(fixture, customer, id), refund);
  await assertInvariants(fixture.db);
});

test('an early deletion within the share of the time refunds as before', async (t) => {
  const { fixture, customer } = await throttling(t);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 500);
  at(fixture, '2026-01-16T12:00:00Z');
  assert.equal(await give(fixture, customer, id), 349);
  await assertInvariants(fixture.db);
});

test('an hour of a VM that is billed by the hour does not buy the traffic of a month', async (t) => {
  const { fixture, customer } = await throttling(t);
  const id = await buyVm(fixture, customer, { billing: 'hourly' });
  await send(fixture, id, '2026-01-01', 1000);
  at(fixture, '2026-01-01T00:30:00Z');
  await give(fixture, customer, id);
  assert.equal(await spent(customer), 699n);
  await assertInvariants(fixture.db);
});

test('buying the same VM repeatedly buys its traffic repeatedly', async (t) => {
  const { fixture, customer } = await throttling(t);
  for (let bought = 1n; bought <= 4n; bought++) {
    const id = await buyVm(fixture, customer);
    await send(fixture, id, '2026-01-01', 1000);
    await give(fixture, customer, id);
    assert.equal(await spent(customer), bought * 699n);
  }
  await assertInvariants(fixture.db);
});

test('a downgrade after all traffic was sent refunds nothing, and neither does a later one', async (t) => {
  const { fixture, customer } = await throttling(t);
  planOf(fixture, 's4').disk_gb = 40;
  const id = await buyVm(fixture, customer, { plan: 's4' });
  await send(fixture, id, '2026-01-01', 3000);
  const quote = await customer.must({ method: 'GET', path: `/v1/vm/${id}/plan-quote?plan=s2` });
  assert.equal(quote.net_minor, 0);
  assert.equal((await change(fixture, customer, id, 's2')).amount_minor, 0);
  assert.equal(await speed(fixture, id), 10, 'all of it is sent');
  // Back again half a month later: the rest of the month has become more expensive, and nothing is refunded.
  at(fixture, '2026-01-16T12:00:00Z');
  await change(fixture, customer, id, 's4');
  assert.equal(await speed(fixture, id), 10);
  assert.equal(await give(fixture, customer, id), 0);
  assert.equal(await spent(customer), 1299n);
  await assertInvariants(fixture.db);
});

test('a downgrade refunds the price of the unused traffic', async (t) => {
  const { fixture, customer } = await throttling(t);
  planOf(fixture, 's4').disk_gb = 40;
  const id = await buyVm(fixture, customer, { plan: 's4' });
  await send(fixture, id, '2026-01-01', 2000);
  // Half of the surrendered 2000 GB is used, so half of 6.00 is refunded.
  assert.equal((await change(fixture, customer, id, 's2')).amount_minor, -300);
  assert.equal(await give(fixture, customer, id), 0, '2000 GB are twice as much as it had');
  await assertInvariants(fixture.db);
});

test('an upgrade for an hour, with a downgrade after it, costs the traffic that it granted', async (t) => {
  const { fixture, customer } = await throttling(t);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-01', 1000);
  assert.equal(await speed(fixture, id), 10);
  await change(fixture, customer, id, 's4');
  assert.equal(await speed(fixture, id), null);
  await send(fixture, id, '2026-01-01', 2000);
  assert.equal((await change(fixture, customer, id, 's2')).amount_minor, 0);
  assert.equal(await speed(fixture, id), 10);
  // A second upgrade: it was already paid for, and all traffic was used.
  assert.equal((await change(fixture, customer, id, 's4')).amount_minor, 0);
  assert.equal(await speed(fixture, id), 10);
  assert.equal(await spent(customer), 1299n);
  await assertInvariants(fixture.db);
});

test('stop, start and reboot leave the throttle', async (t) => {
  const { fixture, customer } = await throttling(t);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 1000);
  assert.equal(await speed(fixture, id), 10);
  const post = async (path: string) => {
    await customer.must({ method: 'POST', path: `/v1/vm/${id}/${path}` });
    await fixture.finish();
    assert.equal(await speed(fixture, id), 10, path);
  };
  for (const path of ['reboot', 'stop', 'start', 'force-stop', 'start']) await post(path);
});

test("a custom size counts the plan's traffic, and going back refunds nothing for it", async (t) => {
  const { fixture, customer } = await throttling(t);
  const { custom } = fixture.installation.services.catalog;
  custom.bandwidth_gb = { vcpu: 500, ram_gb: 0, disk_gb: 0 };
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-01', 1000);
  assert.equal(await speed(fixture, id), 10);
  await change(fixture, customer, id, { ram_mb: 8192 });
  assert.equal(await speed(fixture, id), 10, 'two cores include no more');
  const { amount_minor } = await change(fixture, customer, id, { vcpu: 4 });
  assert.ok(amount_minor > 0);
  assert.equal(await speed(fixture, id), null);
  await send(fixture, id, '2026-01-01', 1000);
  assert.equal(await speed(fixture, id), 10);
  assert.equal((await change(fixture, customer, id, 's2')).amount_minor, 0);
  assert.equal(await give(fixture, customer, id), 0);
  await assertInvariants(fixture.db);
});

test('a minute of an unmetered size does not begin the volume again', async (t) => {
  const { fixture, customer } = await throttling(t);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-01', 1000);
  await change(fixture, customer, id, { vcpu: 4 });
  assert.equal(await speed(fixture, id), null, 'it includes everything');
  await change(fixture, customer, id, 's2');
  assert.equal(await speed(fixture, id), 10);
  await assertInvariants(fixture.db);
});

test('traffic sent under a plan that bills is billed, whatever the VM becomes', async (t) => {
  const { fixture, customer } = await open(t, FUNDS, { traffic_per_gb: '0.01' });
  planOf(fixture, 's4').at_included = 'throttle';
  planOf(fixture, 's4').throttle_mbps = 10;
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-01', 5000);
  at(fixture, '2026-01-02T00:00:00Z');
  await change(fixture, customer, id, 's4');
  assert.equal(await speed(fixture, id), null, 's4 has sent nothing yet');
  // 5000 GB less a day's share of 1000.
  assert.equal((await billing(customer, id)).usage_minor, 4968);
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  // 30 of 31 days of the s4 are refunded.
  assert.deepEqual([refund.amount_minor, refund.charged_minor], [0, 4968 - 1257]);
  await fixture.finish();
  await assertInvariants(fixture.db);
});

test('a debt keeps the account from buying, and leaves the bound of its other VMs used up', async (t) => {
  const { fixture, customer } = await open(t, 699n * 3n, { traffic_per_gb: '0.01', max_unpaid_minor: 50_00 });
  const ids = [
    await buyVm(fixture, customer),
    await buyVm(fixture, customer),
    await buyVm(fixture, customer),
  ];
  const [first, second, third] = ids as [string, string, string];
  at(fixture, '2026-01-31T23:59:59Z');
  await send(fixture, first, '2026-01-31', 6001);
  assert.equal(await speed(fixture, first), 1, '50.01 are over the bound');
  await customer.must({ method: 'DELETE', path: `/v1/vm/${first}` });
  await fixture.finish();
  const { debt_minor } = await customer.must({ method: 'GET', path: '/v1/billing/wallet' });
  assert.equal(debt_minor, 5001);
  const refused = await customer.call({ method: 'POST', path: '/v1/vm', body: PURCHASE });
  assert.equal(refused.error?.code, 'insufficient_funds');
  assert.equal(await speed(fixture, second), null, 'within what is included');
  await send(fixture, second, '2026-01-31', 1001);
  assert.equal(await speed(fixture, second), 1, 'a cent beyond it');
  assert.equal(await speed(fixture, third), null);
  await assertInvariants(fixture.db);
});

test('usage that is split over many VMs costs as much as that of one', async (t) => {
  const { fixture, customer } = await open(t, 699n * 5n, { traffic_per_gb: '0.01', max_unpaid_minor: 50_00 });
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push(await buyVm(fixture, customer));
  for (const id of ids) await send(fixture, id, '2026-01-10', 2000);
  await look(fixture);
  for (const id of ids) assert.deepEqual(await held(fixture, id), [null, 'accept'], '50.00 in all');
  await send(fixture, ids[0]!, '2026-01-10', 1);
  await look(fixture);
  for (const id of ids) assert.deepEqual(await held(fixture, id), [1, 'accept'], '50.01');
  await assertInvariants(fixture.db);
});
