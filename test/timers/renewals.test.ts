import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, eventsOf, renewalsOf, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

test('a VM is renewed at the end of its period, for months of any length', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-31T10:00:00Z');
  const customer = await tenant(fixture, 100_00n);
  const id = await buyVm(fixture, customer);
  const ends: string[] = [];
  for (const instant of ['2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z', '2026-04-30T10:00:00Z']) {
    const before = await vmOf(fixture, id);
    await comes(fixture, new Date(new Date(instant).getTime() - 1).toISOString());
    assert.deepEqual(
      (await vmOf(fixture, id)).billing_period_end_at,
      before.billing_period_end_at,
      'too early',
    );
    await comes(fixture, instant);
    const { billing_period_start_at, billing_period_end_at } = await vmOf(fixture, id);
    assert.equal(billing_period_start_at.toISOString(), new Date(instant).toISOString());
    ends.push(billing_period_end_at.toISOString());
    assert.deepEqual(await eventsOf(fixture, id, instant), ['billing.charged']);
  }
  assert.deepEqual(ends, [
    '2026-03-31T10:00:00.000Z',
    '2026-04-30T10:00:00.000Z',
    '2026-05-31T10:00:00.000Z',
  ]);
  assert.deepEqual(await renewalsOf(fixture, id), [699n, 699n, 699n]);
  assert.equal((await customer.wallet()).available_minor, 100_00n - 4n * 699n);
  await assertInvariants(fixture.db);
});

test('a VM that was forgotten for months is renewed for all of them at once', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-15T00:00:00Z');
  const id = await buyVm(fixture, await tenant(fixture, 100_00n));
  await comes(fixture, '2026-04-20T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [699n, 699n, 699n]);
  assert.equal((await vmOf(fixture, id)).billing_period_end_at.toISOString(), '2026-05-15T00:00:00.000Z');
});

test('if the money covers only some of the missed months, none is booked', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-15T00:00:00Z');
  const customer = await tenant(fixture, 3n * 699n);
  const id = await buyVm(fixture, customer);
  await comes(fixture, '2026-04-20T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), []);
  assert.equal((await customer.wallet()).available_minor, 2n * 699n);
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  await assertInvariants(fixture.db);
});

test('a new price takes effect at the next renewal and not before', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(fixture, 100_00n);
  const id = await buyVm(fixture, customer);
  findPlan(fixture.installation.services.catalog, 's2')!.price_monthly = '8.99';
  fixture.installation.services.clock.set(new Date('2026-01-16T12:00:00Z'));
  const preview = await customer.must({ method: 'GET', path: `/v1/vm/${id}/delete-preview` });
  assert.equal(preview.refund_minor, Math.floor(699 / 2));
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [899n]);
  assert.equal((await vmOf(fixture, id)).price_monthly_minor, 899n);
  await assertInvariants(fixture.db);
});

test('a plan that is no longer sold is renewed, and a removed one keeps its price', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const id = await buyVm(fixture, await tenant(fixture, 100_00n));
  const { catalog } = fixture.installation.services;
  findPlan(catalog, 's2')!.deprecated = true;
  await comes(fixture, '2026-02-01T00:00:00Z');
  catalog.plans = catalog.plans.filter(({ code }) => code !== 's2');
  await comes(fixture, '2026-03-01T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [699n, 699n]);
});

test('nodes that renew at the same time charge once', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const { services } = fixture.installation;
  const customer = await tenant(fixture, 100_00n);
  const ids = [
    await buyVm(fixture, customer),
    await buyVm(fixture, customer),
    await buyVm(fixture, customer),
  ];
  services.clock.set(new Date('2026-02-01T00:00:00Z'));
  await Promise.all(Array.from({ length: 6 }, () => renewVms(services)));
  for (const id of ids) assert.deepEqual(await renewalsOf(fixture, id), [699n]);
  await assertInvariants(fixture.db);
});

test('if the money covers only some renewals, those are renewed', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const { services } = fixture.installation;
  const customer = await tenant(fixture, 5n * 699n);
  const ids = [
    await buyVm(fixture, customer),
    await buyVm(fixture, customer),
    await buyVm(fixture, customer),
  ];
  services.clock.set(new Date('2026-02-01T00:00:00Z'));
  await Promise.all(Array.from({ length: 4 }, () => renewVms(services)));
  const renewed = await Promise.all(ids.map((id) => renewalsOf(fixture, id)));
  assert.deepEqual(renewed.flat(), [699n, 699n]);
  const unpaid = await fixture.db.query(sql`select 1 from vms where unpaid_since is not null`);
  assert.equal(unpaid.length, 1);
  await assertInvariants(fixture.db);
});

test('a VM whose job may change its price is renewed after the job', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const { services } = fixture.installation;
  const customer = await tenant(fixture, 100_00n);
  const id = await buyVm(fixture, customer);
  services.clock.set(new Date('2026-01-31T23:59:59Z'));
  const body = { plan: 's4', allow_reboot: true };
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body });
  services.clock.set(new Date('2026-02-01T00:00:00Z'));
  await renewVms(services);
  assert.deepEqual(await renewalsOf(fixture, id), []);
  await fixture.finish();
  await renewVms(services);
  assert.deepEqual(await renewalsOf(fixture, id), [1299n]);
  await assertInvariants(fixture.db);
});

test('a VM that cannot be renewed, for any reason, blocks no other', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(fixture, 100_00n);
  const broken = await buyVm(fixture, customer);
  const sound = await buyVm(fixture, customer);
  await fixture.db.script(
    `create function broken() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
     create trigger broken before insert on orders for each row when (new.vm_id = '${broken}') execute function broken()`,
    { ddl: true },
  );
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, broken), []);
  assert.deepEqual(await renewalsOf(fixture, sound), [699n]);
});

test('any number of unpaid VMs delay no renewal', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(fixture, 100_00n);
  const poor = await tenant(fixture, 699n);
  const unpaid = await buyVm(fixture, poor);
  const id = await buyVm(fixture, customer);
  await fixture.db.query(sql`
    insert into vms select (json_populate_record(vms, json_build_object('id', vms.id || n, 'mac', n))).*
    from vms, generate_series(1, 510) n where vms.id = ${unpaid}`);
  await fixture.db.query(sql`
    update vms set billing_period_end_at = ${new Date('2026-01-31T00:00:00Z')} where id like ${`${unpaid}%`}`);
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [699n]);
});
