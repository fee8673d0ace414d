import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buyVm, comes, renewalsOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { change, held, look, planOf, throttling } from './throttle-support.ts';
import { billing, GB, send } from './usage-support.ts';

/**
 * Traffic sent under one plan counts under the next: an s2 includes 1000 GB and is throttled, an s8 includes as much
 * and is billed.
 */

const DAY = '2026-01-02T00:00:00Z';
/** One day's share, of 31, of 1000 GB per month, in bytes, rounded down. */
const A_DAY = Math.floor((1000 * GB) / 31);

async function begin(t: Parameters<typeof throttling>[0], gb: number) {
  const opened = await throttling(t, { traffic_per_gb: '0.01' });
  const { fixture, customer } = opened;
  planOf(fixture, 's8').at_included = 'bill';
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-01', gb);
  fixture.installation.services.clock.set(new Date(DAY));
  const traffic = async () => (await billing(customer, id)).usage.traffic;
  return { ...opened, id, traffic };
}

test('traffic sent ahead of the time counts under a plan that bills', async (t) => {
  const { fixture, customer, id, traffic } = await begin(t, 1000);
  await change(fixture, customer, id, 's8');
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [null, 'accept']);
  const atOnce = await traffic();
  // The whole month's traffic is used up, and none of it is billed.
  assert.deepEqual([atOnce.used_bytes, atOnce.amount_minor], [1000 * GB, 0]);
  assert.ok(Math.abs(atOnce.included_bytes - 1000 * GB) <= 1);
  await send(fixture, id, '2026-01-03', 100);
  assert.equal((await traffic()).amount_minor, 100, 'every GB more is billed');
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [2399n + 100n]);
  await assertInvariants(fixture.db);
});

test('traffic within the share of the time is not carried over', async (t) => {
  const { fixture, customer, id, traffic } = await begin(t, 20);
  await change(fixture, customer, id, 's8');
  const { used_bytes, included_bytes, overage_bytes } = await traffic();
  // The day's unused 12 GB beyond the 20 are lost with it.
  assert.deepEqual([used_bytes, overage_bytes], [20 * GB, 0]);
  assert.ok(Math.abs(included_bytes - 1000 * GB) <= 1);
  await send(fixture, id, '2026-01-03', 1000);
  assert.equal(
    (await traffic()).overage_bytes,
    A_DAY + 1,
    '1000 GB are a day more than the rest of the month has',
  );
  await assertInvariants(fixture.db);
});

test('traffic is carried over once, however often the plan changes', async (t) => {
  const { fixture, customer, id, traffic } = await begin(t, 1000);
  for (const plan of ['s8', 's2', 's8', 's2', 's8']) await change(fixture, customer, id, plan);
  const { used_bytes, amount_minor } = await traffic();
  assert.deepEqual([used_bytes, amount_minor], [1000 * GB, 0]);
  await assertInvariants(fixture.db);
});
