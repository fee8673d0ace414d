import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { comes, renewalsOf, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { available, owner } from './hourly-support.ts';

test('a change is one price in quote, options and order, and restarts the count of hours', async (t) => {
  const { fixture, customer, id, at, read, change, remove } = await owner(t);
  at('2026-01-05T04:30:00Z');
  const { net_minor, credit_minor, debit_minor, total_minor, price_hourly, allowed } =
    await read('/plan-quote?plan=s2');
  const options = await read('/plan-options');
  const option = options.find(({ plan }: { plan: { code: string } }) => plan.code === 's2');
  assert.equal((await read('/plan-quote?plan=s1')).price_hourly, '0.006', 'what changes nothing');
  const { data } = await change({ plan: 's2', max_charge_minor: net_minor });
  assert.deepEqual(
    [allowed, total_minor, option.net_minor, data.order.amount_minor],
    [true, net_minor, net_minor, net_minor],
  );
  assert.deepEqual([debit_minor - credit_minor, price_hourly], [net_minor, '0.0105']);
  // 100.5 hours of s1 cost 60.3 cents, the rest of s2's month 604.58: with 3.99 paid, 265.88 remains to be paid.
  assert.equal(net_minor, 266);
  const { metered_since, price_hourly_micros } = await vmOf(fixture, id);
  assert.deepEqual([metered_since, price_hourly_micros], [new Date('2026-01-05T04:30:00Z'), 10_500n]);
  assert.equal((await read()).price_hourly, '0.0105');
  await assertInvariants(fixture.db);
  at('2026-01-05T14:30:01Z');
  await remove();
  // 60.3 cents and eleven hours of s2 at 1.05 are 71.85.
  assert.equal(await available(customer), 100_00 - 72);
  await assertInvariants(fixture.db);
});

test('a change on a node whose clock is behind counts hours from the purchase on', async (t) => {
  // With that clock a running guest would still be booting.
  const { fixture, customer, id, change } = await owner(t, 100_00n, { start: false });
  const { billing_period_start_at } = await vmOf(fixture, id);
  fixture.clock.putBack(3 * 60_000);
  assert.equal((await change({ plan: 's2' })).status, 200);
  assert.deepEqual((await vmOf(fixture, id)).metered_since, billing_period_start_at);
  await assertInvariants(fixture.db);
  assert.equal(await available(customer), 100_00 - 699);
});

const toS2 = (id: string) =>
  ({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body: { plan: 's2', allow_reboot: true } }) as const;

test('a failed change leaves the hours unchanged', async (t) => {
  const { fixture, customer, id, at, remove } = await owner(t);
  at('2026-01-02T00:00:00Z');
  const job = await fixture.play({ customer, vmId: id, snapshotId: null }, toS2(id), {
    step({ step }) {
      if (step === 'resize_guest') throw new Error('no');
      return undefined;
    },
  });
  assert.equal(job.status, 'failed');
  const { metered_since, price_hourly_micros } = await vmOf(fixture, id);
  assert.deepEqual([metered_since, price_hourly_micros], [new Date('2026-01-01T00:00:00Z'), 6_000n]);
  await remove();
  // 24 hours at 0.006.
  assert.equal(await available(customer), 100_00 - 14);
  await assertInvariants(fixture.db);
});

test('a change that the deletion cancels costs nothing', async (t) => {
  const { fixture, customer, id, at, remove } = await owner(t);
  at('2026-01-02T00:00:00Z');
  await customer.must(toS2(id));
  await remove();
  assert.equal(await available(customer), 100_00 - 14);
  await assertInvariants(fixture.db);
});

test('the billing mode of a VM changes with its next period', async (t) => {
  const { fixture, id, at, read, patch, remove, customer } = await owner(t);
  assert.equal((await patch({ billing: 'monthly' })).data.billing_mode, 'hourly');
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual([(await read()).billing_mode, (await read()).price_hourly], ['monthly', null]);
  assert.equal((await vmOf(fixture, id)).metered_since, null);
  assert.equal((await patch({ billing: 'hourly' })).data.next_billing_mode, 'hourly');
  // A new price also applies to the next period.
  findPlan(fixture.installation.services.catalog, 's1')!.price_hourly = '0.0070';
  await comes(fixture, '2026-03-01T00:00:00Z');
  assert.deepEqual([(await read()).billing_mode, (await read()).price_hourly], ['hourly', '0.007']);
  assert.deepEqual(await renewalsOf(fixture, id), [399n, 399n]);
  assert.deepEqual((await vmOf(fixture, id)).metered_since, new Date('2026-03-01T00:00:00Z'));
  at('2026-03-02T00:00:00Z');
  await remove();
  // Two whole months and 24 hours at 0.007.
  assert.equal(await available(customer), 100_00 - 2 * 399 - 17);
  await assertInvariants(fixture.db);
});

test('a plan that is no longer sold hourly keeps its hourly price for the VMs that use it', async (t) => {
  const { fixture, patch, read } = await owner(t);
  delete findPlan(fixture.installation.services.catalog, 's1')!.price_hourly;
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual([(await read()).billing_mode, (await read()).price_hourly], ['hourly', '0.006']);
  assert.equal((await patch({ billing: 'hourly' })).status, 200);
  await assertInvariants(fixture.db);
});
