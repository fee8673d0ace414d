import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, sql } from '../../server/db/database.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { addOnShop } from './add-on-shop.ts';

test('the audit finds add-ons that differ from their sale, and lost ones', async (t) => {
  const { db, buy, set } = await addOnShop(t);
  const { id } = await buy();
  await set(id, 'ipv4', 2);
  assert.deepEqual(await auditNow(db), []);
  const lawsBroken = async (change: string) => {
    const [before] = await db.query<{ add_ons: unknown }>(sql`select add_ons from vms where id = ${id}`);
    await db.script(`update vms set add_ons = ${change} where id = '${id}'`, { ddl: true });
    const found = new Set((await auditNow(db)).map(({ law }) => law));
    const json = JSON.stringify(before!.add_ons);
    await execute(db, sql`update vms set add_ons = ${json}::text::jsonb where id = ${id}`);
    return [...found];
  };
  const paid = ['a VM records the terms on which its add-ons were sold'];
  assert.deepEqual(await lawsBroken(`jsonb_set(add_ons, '{0,quantity}', '3')`), paid);
  assert.deepEqual(await lawsBroken(`jsonb_set(add_ons, '{0,price_minor}', '"249"')`), paid);
  assert.deepEqual(await lawsBroken(`jsonb_set(add_ons, '{0,end_at}', '"2026-03-01T00:00:00Z"')`), paid);
  assert.deepEqual(await lawsBroken(`jsonb_set(add_ons, '{0,code}', '"backup"')`), [
    ...paid,
    'a VM has the add-ons that it has paid for',
  ]);
  assert.deepEqual(await lawsBroken('null'), ['a VM has the add-ons that it has paid for']);
  assert.deepEqual(await lawsBroken(`jsonb_set(add_ons, '{0,refundable_minor}', '"501"')`), [
    'a VM records how much of its add-ons can still be refunded',
  ]);
  assert.deepEqual(await auditNow(db), []);
});

test('the audit knows sales of zero, even if the clock was set back', async (t) => {
  const { db, clock, services, buy, set, wallet } = await addOnShop(t, { currency: 'JPY' });
  services.catalog.add_ons![0]!.price_monthly = '1';
  const { id } = await buy();
  clock.set(new Date('2026-01-29T00:00:00Z'));
  await set(id, 'ipv4', 2);
  clock.putBack(3_600_000);
  for (const quantity of [1, 3, 4, 5, 2]) {
    await set(id, 'ipv4', quantity);
    assert.deepEqual(await auditNow(db), []);
  }
  await wallet();
});

test('the audit knows sales of zero of the VM itself, even if the clock was set back', async (t) => {
  const { db, clock, customer, services, done, buy } = await addOnShop(t, { currency: 'JPY' });
  for (const [at, plan] of services.catalog.plans.entries()) plan.price_monthly = String(at + 1);
  const { path } = await buy();
  clock.set(new Date('2026-01-31T00:00:00Z'));
  const change = async (plan: string) => {
    const body = { plan, allow_reboot: true, resize_disk: false };
    const { order } = await customer.must({ method: 'POST', path: `${path}/change-plan`, body });
    assert.equal(order.amount_minor, 0);
    await done();
  };
  await change('s2');
  clock.putBack(3_600_000);
  for (const plan of ['s4', 's2', 's1']) {
    await change(plan);
    assert.deepEqual(await auditNow(db), []);
  }
});
