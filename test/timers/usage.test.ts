import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { giveTrafficNotices } from '../../server/jobs/timers/traffic-notices.ts';
import { Failures } from '../../server/platform/failures.ts';
import { buyVm, comes, renewalsOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { amounts, billing, DAY_MS, GB, linesOf, open, send, snapshotOf, summary } from './usage-support.ts';

test('traffic beyond the included volume is charged with the renewal, and shown before', async (t) => {
  const { fixture, customer } = await open(t, 100_00n);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 999);
  const { usage, usage_minor, next_charge_minor } = await billing(customer, id);
  assert.deepEqual(usage.traffic, {
    used_bytes: 999 * GB,
    included_bytes: 1000 * GB,
    overage_bytes: 0,
    price_per_gb: '0.01',
    amount_minor: 0,
  });
  assert.deepEqual([usage_minor, next_charge_minor], [0, 699]);
  await send(fixture, id, '2026-01-20', 301);
  const then = await billing(customer, id);
  assert.deepEqual(
    [then.usage_minor, then.next_charge_minor, then.usage.traffic.overage_bytes],
    [300, 999, 300 * GB],
  );
  assert.equal((await summary(customer)).usage_minor, 300);
  assert.equal((await customer.must({ method: 'GET', path: '/v1/client/usage' })).usage_minor, 300);

  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual(await linesOf(fixture, id, 'renew'), [
    {
      unit: 'GB',
      quantity: 300,
      unit_price: '0.01',
      amount_minor: 300n,
      from_at: new Date('2026-01-01T00:00:00Z'),
      to_at: new Date('2026-02-01T00:00:00Z'),
    },
    {
      unit: 'month',
      quantity: 1,
      unit_price: '6.99',
      amount_minor: 699n,
      from_at: new Date('2026-02-01T00:00:00Z'),
      to_at: new Date('2026-03-01T00:00:00Z'),
    },
  ]);
  const after = await billing(customer, id);
  assert.deepEqual([after.usage_minor, after.usage.traffic.used_bytes], [0, 0], 'and never again');
  await comes(fixture, '2026-03-01T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [999n, 699n]);
  await assertInvariants(fixture.db);
});

test('late readings count in the next period, and the day of the renewal in the one that ends on it', async (t) => {
  const { fixture, customer } = await open(t, 100_00n);
  fixture.installation.services.clock.set(new Date('2026-01-01T12:00:00Z'));
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-31', 1100);
  await send(fixture, id, '2026-02-01', 500);
  await comes(fixture, '2026-02-01T12:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [1299n], '1100 + 500 of 1000');
  await send(fixture, id, '2026-01-31', 450);
  await send(fixture, id, '2026-02-28', 650);
  await comes(fixture, '2026-03-01T12:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [1299n, 799n], '450 + 650 of 1000');
  await comes(fixture, '2026-04-01T12:00:00Z');
  assert.deepEqual((await renewalsOf(fixture, id)).at(-1), 699n);
  await assertInvariants(fixture.db);
});

test('without prices nothing is charged, and a price that comes later is for periods that begin then', async (t) => {
  const { fixture, customer } = await open(t, 100_00n, {});
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 5000);
  fixture.installation.services.catalog.usage = { traffic_per_gb: '0.01' };
  assert.equal((await billing(customer, id)).usage_minor, 0);
  await comes(fixture, '2026-02-01T00:00:00Z');
  await send(fixture, id, '2026-02-10', 1200);
  assert.equal((await billing(customer, id)).usage_minor, 200);
  fixture.installation.services.catalog.usage = undefined;
  await comes(fixture, '2026-03-01T00:00:00Z');
  await send(fixture, id, '2026-03-10', 9000);
  await comes(fixture, '2026-04-01T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [699n, 899n, 699n]);
  await assertInvariants(fixture.db);
});

test('a change of plan within the period changes the included volume from then on', async (t) => {
  const { fixture, customer } = await open(t, 200_00n);
  const { catalog, clock } = fixture.installation.services;
  catalog.plans.find(({ code }) => code === 's4')!.traffic_per_gb = '0.03';
  const id = await buyVm(fixture, customer, { start: false });
  await send(fixture, id, '2026-01-10', 2000);
  // 30 of 31 days of s2 with 1000 GB at 0.01, a day of s4 with 3000 GB at 0.03.
  clock.set(new Date('2026-01-31T00:00:00Z'));
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body: { plan: 's4' } });
  await fixture.finish();
  const exact = (2000 - (1000 * 30 + 3000) / 31) * ((0.01 * 30 + 0.03) / 31);
  const { usage_minor, usage } = await billing(customer, id);
  assert.equal(usage_minor, Math.round(exact * 100));
  assert.equal(usage.traffic.included_bytes, Math.floor((33_000 * GB) / 31));
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual(amounts(await linesOf(fixture, id, 'renew'))[0], ['GB', usage_minor]);
  await assertInvariants(fixture.db);
});

test('traffic on the last day, before a change on it, is charged once', async (t) => {
  const { fixture, customer } = await open(t, 200_00n);
  const { clock } = fixture.installation.services;
  clock.set(new Date('2026-01-01T12:00:00Z'));
  const id = await buyVm(fixture, customer, { start: false });
  await send(fixture, id, '2026-02-01', 4000);
  clock.set(new Date('2026-02-01T06:00:00Z'));
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body: { plan: 's4' } });
  await fixture.finish();
  await comes(fixture, '2026-02-01T12:00:00Z');
  // 30.75 of 31 days with 1000 GB, a quarter of one with 3000.
  assert.deepEqual(amounts(await linesOf(fixture, id, 'renew')), [
    ['GB', 2984],
    ['month', 1299],
  ]);
  await comes(fixture, '2026-03-01T12:00:00Z');
  assert.deepEqual(amounts(await linesOf(fixture, id, 'renew')).slice(2), [['month', 1299]]);
  await assertInvariants(fixture.db);
});

test('traffic sent while a VM is unmetered does not count', async (t) => {
  const { fixture, customer } = await open(t, 200_00n);
  const id = await buyVm(fixture, customer, { start: false });
  const { clock, catalog } = fixture.installation.services;
  await send(fixture, id, '2026-01-10', 700);
  clock.set(new Date('2026-01-16T12:00:00Z'));
  catalog.plans.find(({ code }) => code === 's4')!.bandwidth_gb = null;
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body: { plan: 's4' } });
  await fixture.finish();
  await send(fixture, id, '2026-01-20', 9000);
  // Half of the period with half of its included traffic.
  assert.deepEqual((await billing(customer, id)).usage.traffic, {
    used_bytes: 700 * GB,
    included_bytes: 500 * GB,
    overage_bytes: 200 * GB,
    price_per_gb: '0.01',
    amount_minor: 200,
  });
  await assertInvariants(fixture.db);
});

test('snapshots cost by size and time, deleted ones too', async (t) => {
  const { fixture, customer } = await open(t, 100_00n);
  const { clock } = fixture.installation.services;
  const id = await buyVm(fixture, customer);
  await snapshotOf(fixture, customer, id, 31);
  clock.set(new Date('2026-01-11T00:00:00Z'));
  const second = await snapshotOf(fixture, customer, id, 62);
  clock.set(new Date('2026-01-16T00:00:00Z'));
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}/snapshots/${second}` });
  await fixture.finish();
  // 15 days of 31 GB and 5 of 62 in a month of 31 days.
  const { usage } = await billing(customer, id);
  assert.deepEqual(usage.snapshots, { gb_months: '25.000000', price_gb_month: '0.1', amount_minor: 250 });
  await comes(fixture, '2026-02-01T00:00:00Z');
  await comes(fixture, '2026-03-01T00:00:00Z');
  assert.deepEqual(amounts(await linesOf(fixture, id, 'renew')), [
    ['GB-month', 310 + 100],
    ['month', 699],
    ['GB-month', 310],
    ['month', 699],
  ]);
  await assertInvariants(fixture.db);
});

test('missed months are charged with the usage of each', async (t) => {
  const { fixture, customer } = await open(t, 100_00n);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 1100);
  await send(fixture, id, '2026-02-10', 1200);
  await send(fixture, id, '2026-03-10', 1300);
  await comes(fixture, '2026-03-15T00:00:00Z');
  const charged = (await linesOf(fixture, id, 'renew'))
    .filter(({ unit }) => unit === 'GB')
    .toSorted((a, b) => a.from_at.getTime() - b.from_at.getTime());
  assert.deepEqual(amounts(charged), [
    ['GB', 100],
    ['GB', 200],
  ]);
  assert.equal((await billing(customer, id)).usage_minor, 300);
  await assertInvariants(fixture.db);
});

test('the owner gets notice at 80 and at 100 %, once a period', async (t) => {
  const { fixture, customer } = await open(t, 100_00n);
  const { services } = fixture.installation;
  const id = await buyVm(fixture, customer);
  const told = async (month: string) => {
    for (let round = 0; round < 2; round++) await giveTrafficNotices(services, new Failures(services));
    const rows = await fixture.db.query<{ percent: number }>(sql`
      select (metadata->>'percent')::int as percent from events
      where vm_id = ${id} and type = 'billing.traffic_used' and created_at >= ${new Date(month)} order by created_at, id`);
    return rows.map(({ percent }) => percent);
  };
  const january = '2026-01-01T00:00:00Z';
  services.clock.advance(9 * DAY_MS);
  await send(fixture, id, '2026-01-10', 799);
  assert.deepEqual(await told(january), []);
  await send(fixture, id, '2026-01-10', 1);
  assert.deepEqual(await told(january), [80]);
  services.clock.advance(1000);
  await send(fixture, id, '2026-01-10', 200);
  assert.deepEqual(await told(january), [80, 100]);
  await comes(fixture, '2026-02-01T00:00:00Z');
  await send(fixture, id, '2026-02-01', 2000);
  assert.deepEqual(await told('2026-02-01T00:00:00Z'), [100], 'the last one where several are due');
  await assertInvariants(fixture.db);
});

test('the records of usage never change', async (t) => {
  const { fixture, customer } = await open(t, 100_00n);
  const id = await buyVm(fixture, customer);
  const snapshot = await snapshotOf(fixture, customer, id, 1);
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}/snapshots/${snapshot}` });
  await fixture.finish();
  for (const attempt of [
    sql`update usage_readings set out_bytes = 1`,
    sql`delete from usage_readings`,
    sql`truncate usage_readings`,
    sql`update snapshot_usage set size_bytes = 1`,
    sql`update snapshot_usage set until_at = until_at`,
    sql`delete from snapshot_usage`,
    sql`truncate snapshot_usage`,
  ])
    await assert.rejects(fixture.db.query(attempt), /never changes|only ends, once/);
});
