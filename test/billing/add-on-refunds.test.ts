import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, sql } from '../../server/db/database.ts';
import { addOnShop } from './add-on-shop.ts';

const HALF = '2026-01-16T12:00:00Z';
const IPV4 = 'Extra IPv4 address';

test('the deletion of a VM refunds its add-ons, each as an item of its own', async (t) => {
  const { clock, buy, set, linesOf, orders, remove, wallet } = await addOnShop(t);
  const { id, path } = await buy();
  await set(id, 'ipv4', 2);
  await set(id, 'backup', 1);
  clock.set(new Date(HALF));
  const refund = await remove(path);
  assert.equal(refund.amount_minor, 199 + 50 + 250);
  const [order] = await orders(id, 'delete_refund');
  assert.deepEqual(await linesOf(order!.id), [
    ['Unused time on Shared S1', 'month', -199n],
    ['Unused time on Backups', 'add_on', -50n],
    [`Unused time on 2 × ${IPV4}`, 'add_on', -250n],
  ]);
  assert.deepEqual(await wallet(), [200_00n - 200n - 50n - 250n, 0n]);
});

test('a refund returns the share that promotional credit paid of the add-on, whatever paid for the VM', async (t) => {
  const { clock, buy, set, grant, remove, wallet } = await addOnShop(t);
  const { id, path } = await buy();
  await grant(300n);
  await set(id, 'ipv4', 2);
  assert.deepEqual(await wallet(), [200_00n - 399n - 200n, 0n]);
  clock.set(new Date(HALF));
  // 250 of 500 are refunded, of which credit had paid three fifths.
  await set(id, 'ipv4', 0);
  assert.deepEqual(await wallet(), [200_00n - 399n - 100n, 150n]);
  // Only money paid for the VM.
  assert.deepEqual((await remove(path)).promo_minor, 0);
  assert.deepEqual(await wallet(), [200_00n - 399n - 100n + 199n, 150n]);
});

test('credit that paid for an add-on is returned by a deletion that also charges for usage', async (t) => {
  const { db, clock, services, buy, set, grant, remove, wallet } = await addOnShop(t);
  services.catalog.usage = { traffic_per_gb: '0.10' };
  for (const plan of services.catalog.plans) plan.bandwidth_gb = 1;
  const { id, path } = await buy();
  await grant(500n);
  await set(id, 'ipv4', 2);
  assert.deepEqual(await wallet(), [200_00n - 399n, 0n]);
  clock.set(new Date(HALF));
  const out = 24n * 1_000_000_000n;
  await execute(
    db,
    sql`insert into traffic_meters (vm_id, out_bytes) values (${id}, ${out}::bigint)
      on conflict (vm_id) do update set out_bytes = excluded.out_bytes`,
  );
  await execute(
    db,
    sql`insert into bandwidth_days (vm_id, day, in_bytes, out_bytes) values (${id}, '2026-01-10', 0, ${out}::bigint)`,
  );
  // The unused 199 and 250 less the traffic: credit cannot get back more than the whole refund.
  const refund = await remove(path);
  assert.ok(refund.amount_minor > 0 && refund.amount_minor < 250, `${refund.amount_minor}`);
  assert.equal(refund.promo_minor, refund.amount_minor);
  assert.deepEqual(await wallet(), [200_00n - 399n, BigInt(refund.amount_minor)]);
});

test('a clock that was set back refunds no time twice', async (t) => {
  const { clock, buy, set, held, renewAt, remove, wallet } = await addOnShop(t);
  const { id, path } = await buy();
  clock.set(new Date(HALF));
  await set(id, 'ipv4', 2);
  clock.putBack(10 * 86_400_000);
  // Sold for half a period, which is all that can come back, whatever the clock says.
  const fewer = await set(id, 'ipv4', 1);
  assert.equal(fewer.amount_minor, -125n);
  const [addOn] = await held(id);
  assert.deepEqual(addOn!.priced_at, new Date(HALF));
  await set(id, 'ipv4', 0);
  assert.deepEqual(await wallet(), [200_00n - 399n, 0n]);
  await set(id, 'backup', 1);
  // 1 February on the clock that is ten days behind.
  await renewAt('2026-02-11T00:00:00Z');
  clock.putBack(5 * 86_400_000);
  assert.equal((await remove(path)).amount_minor, 399 + 100);
  await wallet();
});

test('an operator refunds or voids an add-on, and the VM then refunds only the rest of it', async (t) => {
  const { clock, buy, set, held, refund, undo, linesOf, remove, wallet } = await addOnShop(t);
  const { id, path } = await buy();
  const bought = await set(id, 'ipv4', 2);
  const backup = await set(id, 'backup', 1);
  const back = await refund(bought.id, 400n);
  assert.deepEqual(await linesOf(back.id), [[`Refund of 2 × ${IPV4} (because)`, 'adjustment', -400n]]);
  assert.deepEqual(
    (await held(id)).map(({ code, refundable }) => [code, refundable]),
    [
      ['backup', 100n],
      ['ipv4', 100n],
    ],
  );
  await undo(backup.id);
  assert.deepEqual(await wallet(), [200_00n - 399n - 100n, 0n]);
  clock.set(new Date(HALF));
  // The unused half of both would be 300, but only 100 is left of one and nothing of the other.
  assert.equal((await remove(path)).amount_minor, 199 + 100);
  assert.deepEqual(await wallet(), [200_00n - 200n, 0n]);
});

test('a void of a renewal refunds the VM and its add-ons, at most the amount paid for each', async (t) => {
  const { clock, buy, set, orders, renewAt, undo, linesOf, remove, wallet } = await addOnShop(t);
  const { id, path } = await buy();
  await set(id, 'ipv4', 2);
  await renewAt('2026-02-01T00:00:00Z');
  clock.set(new Date('2026-02-15T00:00:00Z'));
  await set(id, 'ipv4', 1);
  const [renewal] = await orders(id, 'renew');
  const undone = await undo(renewal!.id);
  // The change refunded 125 of the 500.
  assert.deepEqual(await linesOf(undone.id), [
    [`Void of 2 × ${IPV4} (because)`, 'adjustment', -375n],
    ['Void of Shared S1 (because)', 'adjustment', -399n],
  ]);
  assert.equal((await remove(path)).amount_minor, 0);
  assert.deepEqual(await wallet(), [200_00n - 399n - 500n, 0n]);
});

test('a deletion that charges for traffic and refunds add-ons is refunded at most by what it charged', async (t) => {
  const { db, clock, services, buy, set, orders, linesOf, remove, undo, wallet } = await addOnShop(t);
  services.catalog.usage = { traffic_per_gb: '0.30' };
  for (const plan of services.catalog.plans) plan.bandwidth_gb = 1;
  const { id, path } = await buy();
  await set(id, 'ipv4', 2);
  clock.set(new Date(HALF));
  const out = 24n * 1_000_000_000n;
  await execute(
    db,
    sql`insert into traffic_meters (vm_id, out_bytes) values (${id}, ${out}::bigint)
      on conflict (vm_id) do update set out_bytes = excluded.out_bytes`,
  );
  await execute(
    db,
    sql`insert into bandwidth_days (vm_id, day, in_bytes, out_bytes) values (${id}, '2026-01-10', 0, ${out}::bigint)`,
  );
  await remove(path);
  const [order] = await orders(id, 'delete_refund');
  assert.deepEqual(
    (await linesOf(order!.id)).map(([, , amount]) => amount),
    [705n, -199n, -250n],
  );
  const [money] = await wallet();
  await undo(order!.id);
  assert.deepEqual(await wallet(), [money! + 256n, 0n]);
  await assert.rejects(undo(order!.id), { code: 'invalid_state' });
});

test('hours that cost as much as the refund of an add-on are on a document', async (t) => {
  const { db, clock, services, buy, set, orders, linesOf, remove, wallet } = await addOnShop(t);
  const plan = services.catalog.plans.find(({ code }) => code === 's1')!;
  Object.assign(plan, { price_monthly: '5.00', price_hourly: '0.01' });
  services.catalog.add_ons![0]!.price_monthly = '7.44';
  const { id, path } = await buy('s1', 'hourly');
  await set(id, 'ipv4', 1);
  clock.set(new Date(HALF));
  await remove(path);
  const [order] = await orders(id, 'delete_refund');
  assert.deepEqual(await linesOf(order!.id), [
    ['Released deposit for Shared S1', 'deposit', -500n],
    ['Shared S1, 372 hours', 'hour', 372n],
    [`Unused time on ${IPV4}`, 'add_on', -372n],
  ]);
  const [document] = await db.query<{ type: string }>(
    sql`select type from orders join invoices on invoices.id = invoice_id where orders.id = ${order!.id}`,
  );
  assert.equal(document?.type, 'invoice');
  await wallet();
});

test('an add-on without anything left to refund is given up, even if the clock was set back', async (t) => {
  const { clock, buy, set, refund, wallet } = await addOnShop(t);
  const { id } = await buy();
  clock.set(new Date(HALF));
  const bought = await set(id, 'ipv4', 2);
  await refund(bought.id);
  clock.putBack(3_600_000);
  assert.equal((await set(id, 'ipv4', 0)).amount_minor, 0n);
  await wallet();
});
