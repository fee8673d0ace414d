import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { graceOfAccount } from '../../server/domain/billing/grace.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, renewalsOf, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const HOUR_MS = 3_600_000;

/** An account whose grace period of 72 hours is granted once in three months. */
async function graceOnce(t: TestContext, funds: bigint) {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  fixture.installation.services.catalog.grace_once_months = 3;
  const customer = await tenant(fixture, funds);
  const status = async (id: string) => (await vmOf(fixture, id)).status;
  const patch = (id: string, body: object) => customer.must({ method: 'PATCH', path: `/v1/vm/${id}`, body });
  return { fixture, customer, status, patch };
}

test('an account has the grace once in three months, and pays for it', async (t) => {
  const { fixture, customer, status } = await graceOnce(t, 699n);
  const id = await buyVm(fixture, customer);
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.equal(await status(id), 'running', 'the first time');
  const summary = await customer.must({ method: 'GET', path: '/v1/billing/summary' });
  assert.equal(summary.unpaid[0].suspends_at, '2026-02-04T00:00:00.000Z');
  await customer.topUp(699n);
  await comes(fixture, '2026-02-03T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [699n]);

  for (const [end, paid] of [
    ['2026-03-01T00:00:00Z', '2026-03-01T12:00:00Z'],
    ['2026-04-01T12:00:00Z', '2026-04-30T12:00:00Z'],
  ] as const) {
    await comes(fixture, end);
    assert.equal(await status(id), 'suspended', end);
    await customer.topUp(699n);
    await comes(fixture, paid);
    assert.equal(await status(id), 'running', paid);
  }
  assert.deepEqual(
    await renewalsOf(fixture, id),
    [699n, 699n, 699n],
    'a grace that was not had costs nothing',
  );

  await comes(fixture, '2026-05-30T12:00:00Z');
  assert.equal(await status(id), 'running', 'three months after the last one began');
  await comes(fixture, '2026-06-02T12:00:00Z');
  assert.equal(await status(id), 'suspended');
  await assertInvariants(fixture.db);
});

test('everything that falls due during the grace shares the rest of it, and a new VM has none', async (t) => {
  const { fixture, customer, status } = await graceOnce(t, 5n * 699n);
  const ids: string[] = [];
  for (const day of ['01', '02', '03', '04']) {
    await comes(fixture, `2026-01-${day}T12:00:00Z`);
    ids.push(await buyVm(fixture, customer, { hostname: `web-${day}` }));
  }
  await customer.payOut(699n);
  const states = () => Promise.all(ids.map(status));
  await comes(fixture, '2026-02-01T12:00:00Z');
  await comes(fixture, '2026-02-03T12:00:00Z');
  assert.deepEqual(await states(), ['running', 'running', 'running', 'running']);
  await comes(fixture, '2026-02-04T12:00:00Z');
  assert.deepEqual(await states(), ['suspended', 'suspended', 'suspended', 'suspended'], 'all at its end');

  // Deleting VMs during their grace period and buying them again gains nothing.
  for (const id of ids) await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await fixture.finish();
  await customer.topUp(699n);
  const again = await buyVm(fixture, customer, { hostname: 'again' });
  await comes(fixture, '2026-03-04T12:00:00Z');
  assert.equal(await status(again), 'suspended');
  await assertInvariants(fixture.db);
});

test('a granted grace stays, whatever the catalog and its owner change; turned off it ends', async (t) => {
  const { fixture, customer, status, patch } = await graceOnce(t, 699n);
  const { catalog } = fixture.installation.services;
  const id = await buyVm(fixture, customer);
  await comes(fixture, '2026-02-01T00:00:00Z');
  catalog.grace.suspend_after_hours = 1000;
  await comes(fixture, '2026-02-01T12:00:00Z');
  assert.deepEqual((await vmOf(fixture, id)).grace_ended_at, new Date('2026-02-04T00:00:00Z'));
  fixture.installation.services.clock.set(new Date('2026-02-02T00:00:00Z'));
  await patch(id, { auto_renew: false });
  await patch(id, { auto_renew: true });
  await comes(fixture, '2026-02-02T00:00:00Z');
  assert.equal(await status(id), 'suspended');
  await assertInvariants(fixture.db);
});

test('months follow the calendar, and a VM without grace uses none up', () => {
  const catalog = {
    grace: { suspend_after_hours: 72, held_hours: 72, delete_after_days: 14 },
    grace_once_months: 3,
  };
  const due = (at: string, more: object = {}) => ({
    ...{ billing_period_end_at: new Date(at), auto_renew: true, upgraded_at: null, retires_at: null },
    ...{ suspended_at: null, grace_ended_at: null, ...more },
  });
  const hours = (at: string, last: string | null, more: object = {}) => {
    const { endAt, begins } = graceOfAccount(due(at, more) as never, catalog, last ? new Date(last) : null);
    return [(endAt.getTime() - Date.parse(at)) / HOUR_MS, begins];
  };
  assert.deepEqual(hours('2026-02-01T00:00:00Z', null), [72, true]);
  assert.deepEqual(hours('2026-05-30T00:00:00Z', '2026-02-28T00:00:00Z'), [72, true]);
  assert.deepEqual(hours('2026-02-28T00:00:00Z', '2025-11-30T00:00:00Z'), [72, true]);
  assert.deepEqual(hours('2026-02-27T23:59:59Z', '2025-11-30T00:00:00Z'), [0, false]);
  assert.deepEqual(hours('2026-02-02T00:00:00Z', '2026-02-01T00:00:00Z'), [48, false]);
  assert.deepEqual(hours('2026-02-04T00:00:00Z', '2026-02-01T00:00:00Z'), [0, false]);
  assert.deepEqual(hours('2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z'), [72, false], 'looked at later');
  const late = { upgraded_at: new Date('2026-01-31T00:00:00Z') };
  assert.deepEqual(hours('2026-02-01T00:00:00Z', null, late), [0, false]);
  assert.deepEqual(hours('2026-02-01T00:00:00Z', null, { auto_renew: false }), [0, false]);
});
