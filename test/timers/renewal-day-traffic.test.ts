import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buyVm, comes, eventsOf, renewalsOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { give, held, look, throttling } from './throttle-support.ts';
import { billing, GB, open, send } from './usage-support.ts';

/** Traffic on the last day of a period: traffic sent before the period's end counts in that period, not in the next. */

const RENEWAL = '2026-02-01T15:00:00Z';

async function bought(opened: Awaited<ReturnType<typeof open>>) {
  const { fixture, customer } = opened;
  const { clock } = fixture.installation.services;
  clock.set(new Date('2026-01-01T15:00:00Z'));
  const id = await buyVm(fixture, customer);
  const used = async () => (await billing(customer, id)).usage.traffic.used_bytes / GB;
  return { ...opened, clock, id, used };
}

test('traffic sent before the renewal does not count for the next period', async (t) => {
  const { fixture, customer, id, used } = await bought(await throttling(t));
  await send(fixture, id, '2026-02-01', 900);
  await comes(fixture, RENEWAL);
  assert.equal(await used(), 0);
  await send(fixture, id, '2026-02-01', 150);
  assert.equal(await used(), 150);
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [null, 'accept']);
  assert.equal(await give(fixture, customer, id), 594, 'all but 150 of 1000 GB');
  await assertInvariants(fixture.db);
});

test('a deletion right after a renewal refunds everything if nothing was sent since', async (t) => {
  const { fixture, customer, id } = await bought(await throttling(t));
  await send(fixture, id, '2026-02-01', 900);
  await comes(fixture, RENEWAL);
  assert.equal(await give(fixture, customer, id), 699);
  await assertInvariants(fixture.db);
});

test('a renewal charges the traffic of its day until then', async (t) => {
  const { fixture, id, used } = await bought(await open(t, 100_00n));
  await send(fixture, id, '2026-01-20', 1000);
  await send(fixture, id, '2026-02-01', 100);
  await comes(fixture, RENEWAL);
  assert.deepEqual(await renewalsOf(fixture, id), [799n]);
  await send(fixture, id, '2026-02-01', 50);
  assert.equal(await used(), 50);
  await assertInvariants(fixture.db);
});

for (const [name, paid] of [
  ['the same day', '2026-02-01T18:00:00Z'],
  ['two days later', '2026-02-03T12:00:00Z'],
])
  test(`a period that is paid ${name} begins with the traffic until its start`, async (t) => {
    const { fixture, customer, id, used } = await bought(await open(t, 699n));
    await send(fixture, id, '2026-02-01', 1000);
    await comes(fixture, RENEWAL);
    assert.deepEqual(await eventsOf(fixture, id, RENEWAL), ['billing.unpaid']);
    await send(fixture, id, '2026-02-01', 30);
    await customer.topUp(699n);
    await comes(fixture, paid!);
    assert.deepEqual(await renewalsOf(fixture, id), [699n]);
    assert.equal(await used(), 30);
    await assertInvariants(fixture.db);
  });

test('a deletion in the grace splits the day at the end of the period', async (t) => {
  const { fixture, customer, clock, id } = await bought(await open(t, 700n));
  await send(fixture, id, '2026-02-01', 1000);
  await comes(fixture, RENEWAL);
  clock.set(new Date('2026-02-01T16:00:00Z'));
  const { usage_minor } = await customer.must({ method: 'GET', path: `/v1/vm/${id}/delete-preview` });
  assert.equal(usage_minor, 0);
});
