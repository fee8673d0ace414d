import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, sql } from '../../server/db/database.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { addOnShop } from './add-on-shop.ts';

const HALF = '2026-01-16T12:00:00Z';
const IPV4 = 'Extra IPv4 address';

test('a node of the last release neither breaks nor loses add-ons', async (t) => {
  const { db, clock, buy, set, held, orders, linesOf, renewAt, wallet } = await addOnShop(t);
  const renewed = await buy();
  const deleted = await buy();
  for (const { id } of [renewed, deleted]) await set(id, 'ipv4', 2);
  // Such a node renews only the VM: it knows neither the column nor the lines.
  const addOns = await db.query<{ id: string; add_ons: unknown }>(sql`select id, add_ons from vms`);
  await execute(db, sql`update vms set add_ons = null`);
  await renewAt('2026-02-01T00:00:00Z');
  for (const { id, add_ons } of addOns)
    await execute(db, sql`update vms set add_ons = ${JSON.stringify(add_ons)}::text::jsonb where id = ${id}`);
  assert.deepEqual(await auditNow(db), []);
  // The VM keeps its add-ons, free until the next renewal, and nothing of the old period comes back.
  clock.set(new Date('2026-02-15T00:00:00Z'));
  assert.equal((await set(renewed.id, 'ipv4', 1)).amount_minor, 125n);
  assert.equal((await set(deleted.id, 'ipv4', 0)).amount_minor, 0n);
  await renewAt('2026-03-01T00:00:00Z');
  assert.deepEqual(await linesOf((await orders(renewed.id, 'renew'))[1]!.id), [
    [IPV4, 'add_on', 250n],
    ['Shared S1', 'month', 399n],
  ]);
  // It deletes a VM without refunding its add-ons; the next round refunds them.
  await set(deleted.id, 'ipv4', 4);
  const [kept] = await db.query<{ add_ons: unknown }>(sql`select add_ons from vms where id = ${deleted.id}`);
  await execute(db, sql`update vms set add_ons = null where id = ${deleted.id}`);
  await execute(
    db,
    sql`update vms set status = 'deleting', add_ons = ${JSON.stringify(kept!.add_ons)}::text::jsonb where id = ${deleted.id}`,
  );
  clock.set(new Date('2026-03-16T12:00:00Z'));
  await renewAt('2026-03-16T12:00:00Z');
  const [refund] = await orders(deleted.id, 'delete_refund');
  assert.deepEqual(await linesOf(refund!.id), [[`Unused time on 4 × ${IPV4}`, 'add_on', -500n]]);
  assert.deepEqual(await held(deleted.id), []);
  await wallet();
});

test('the add-ons of a VM that a node of the last release failed to delete are refunded', async (t) => {
  const { db, clock, buy, set, held, orders, linesOf, renewAt } = await addOnShop(t);
  const { id } = await buy();
  await set(id, 'ipv4', 4);
  clock.set(new Date(HALF));
  await execute(
    db,
    sql`update vms set status = 'error', auto_renew = false, deletion_failed_at = ${clock.now()},
      billing_period_end_at = ${clock.now()} where id = ${id}`,
  );
  await renewAt(HALF);
  const [refund] = await orders(id, 'delete_refund');
  assert.deepEqual(await linesOf(refund!.id), [[`Unused time on 4 × ${IPV4}`, 'add_on', -500n]]);
  assert.deepEqual(await held(id), []);
});

test('nothing of an add-on that was left behind by a renewal is refunded, even if the clock is set back', async (t) => {
  const { db, clock, buy, set, remove, renewAt, wallet } = await addOnShop(t);
  const { id, path } = await buy();
  await set(id, 'ipv4', 2);
  const [kept] = await db.query<{ add_ons: unknown }>(sql`select add_ons from vms`);
  await execute(db, sql`update vms set add_ons = null`);
  await renewAt('2026-02-01T00:00:00Z');
  await execute(db, sql`update vms set add_ons = ${JSON.stringify(kept!.add_ons)}::text::jsonb`);
  clock.putBack(5 * 86_400_000);
  assert.equal((await remove(path)).amount_minor, 399);
  await wallet();
});

test('nor does the round that refunds deleted VMs, even if the clock is set back', async (t) => {
  const { db, clock, services, buy, set, held, orders, renewAt, wallet } = await addOnShop(t);
  const { id } = await buy();
  await set(id, 'ipv4', 2);
  const [kept] = await db.query<{ add_ons: unknown }>(sql`select add_ons from vms`);
  await execute(db, sql`update vms set add_ons = null`);
  await renewAt('2026-02-01T00:00:00Z');
  clock.putBack(5 * 86_400_000);
  const before = await wallet();
  await execute(
    db,
    sql`update vms set status = 'deleting', add_ons = ${JSON.stringify(kept!.add_ons)}::text::jsonb`,
  );
  await renewVms(services);
  assert.deepEqual(await orders(id, 'delete_refund'), []);
  assert.deepEqual(await held(id), []);
  assert.deepEqual(await wallet(), before);
});
