import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { findVm } from '../../server/db/queries/vms/vms.ts';
import { catalogFor } from '../../server/domain/catalog/buyer-prices.ts';
import { decideAddOn } from '../../server/domain/vms/add-ons.ts';
import { addOnShop } from './add-on-shop.ts';

const HALF = '2026-01-16T12:00:00Z';
const IPV4 = 'Extra IPv4 address';

test('an add-on is sold for the rest of the period of its VM, and is renewed with it', async (t) => {
  const { db, clock, customer, buy, set, held, linesOf, orders, renewAt, wallet } = await addOnShop(t);
  const { id, path } = await buy();
  clock.set(new Date(HALF));
  const order = await set(id, 'ipv4', 2);
  assert.deepEqual([order.kind, order.status, order.amount_minor], ['add_on', 'completed', 250n]);
  const [line] = await db.query(sql`
    select description, quantity, unit, add_on, unit_price, amount_minor, from_at, to_at, proration, tax_minor, tax_category
    from order_lines where order_id = ${order.id}`);
  assert.deepEqual(line, {
    description: `2 × ${IPV4}`,
    quantity: 2,
    unit: 'add_on',
    add_on: 'ipv4',
    unit_price: '2.50',
    amount_minor: 250n,
    from_at: new Date(HALF),
    to_at: new Date('2026-02-01T00:00:00Z'),
    proration: true,
    tax_minor: 40n,
    tax_category: 'standard',
  });
  assert.deepEqual(await wallet(), [200_00n - 399n - 250n, 0n]);
  const billing = await customer.must({ method: 'GET', path: `${path}/billing` });
  assert.deepEqual([billing.price_monthly_minor, billing.next_charge_minor], [399, 899]);
  const shown = await customer.must({ method: 'GET', path: '/v1/billing/wallet' });
  assert.equal(shown.burn_rate_monthly_minor, 899);

  await renewAt('2026-02-01T00:00:00Z');
  const [renewal] = await orders(id, 'renew');
  assert.deepEqual(await linesOf(renewal!.id), [
    [`2 × ${IPV4}`, 'add_on', 500n],
    ['Shared S1', 'month', 399n],
  ]);
  const [addOn] = await held(id);
  assert.deepEqual(addOn!.period, {
    startAt: new Date('2026-02-01T00:00:00Z'),
    endAt: new Date('2026-03-01T00:00:00Z'),
  });
  assert.deepEqual(await wallet(), [200_00n - 399n - 250n - 899n, 0n]);
});

test('a change of quantity charges or refunds the difference for the rest of the period', async (t) => {
  const { clock, buy, set, held, linesOf, remove, wallet } = await addOnShop(t);
  const { id, path } = await buy();
  const bought = await set(id, 'ipv4', 1);
  assert.deepEqual(await linesOf(bought.id), [[IPV4, 'add_on', 250n]]);
  clock.set(new Date(HALF));
  const more = await set(id, 'ipv4', 3);
  assert.deepEqual(await linesOf(more.id), [
    [`Unused time on ${IPV4}`, 'add_on', -125n],
    [`Remaining time on 3 × ${IPV4}`, 'add_on', 375n],
  ]);
  const fewer = await set(id, 'ipv4', 2);
  assert.deepEqual(await linesOf(fewer.id), [
    [`Unused time on 3 × ${IPV4}`, 'add_on', -375n],
    [`Remaining time on 2 × ${IPV4}`, 'add_on', 250n],
  ]);
  assert.equal(fewer.amount_minor, -125n);
  const none = await set(id, 'ipv4', 0);
  assert.deepEqual(await linesOf(none.id), [[`Unused time on 2 × ${IPV4}`, 'add_on', -250n]]);
  assert.deepEqual(await held(id), []);
  assert.deepEqual(await wallet(), [200_00n - 399n - 125n, 0n]);
  // Half a period of the VM itself is left, rounded down.
  assert.equal((await remove(path)).amount_minor, 199);
  assert.deepEqual(await wallet(), [200_00n - 200n - 125n, 0n]);
});

test('many changes within a second of each other charge their exact total and refund no more', async (t) => {
  const { clock, buy, set, wallet } = await addOnShop(t);
  const { id } = await buy();
  clock.set(new Date('2026-01-11T03:04:05Z'));
  for (const quantity of [1, 3, 2, 5, 4, 1, 0, 2, 3, 0]) await set(id, 'ipv4', quantity);
  assert.deepEqual(await wallet(), [200_00n - 399n, 0n]);
});

for (const [currency, price, half] of [
  ['JPY', '250', 125n],
  ['KWD', '0.250', 125n],
  ['HUF', '2.50', 125n],
] as const)
  test(`an add-on in ${currency}`, async (t) => {
    const { db, clock, buy, set, renewAt, remove, wallet } = await addOnShop(t, { currency });
    const { id, path } = await buy();
    clock.set(new Date(HALF));
    const order = await set(id, 'ipv4', 1);
    const [line] = await db.query<{ unit_price: string }>(
      sql`select unit_price from order_lines where order_id = ${order.id}`,
    );
    assert.deepEqual([order.currency, order.amount_minor, line!.unit_price], [currency, half, price]);
    // A third of a period is not a whole number of units: the net of all lines is rounded once.
    clock.set(new Date('2026-01-21T16:00:00Z'));
    await set(id, 'ipv4', 3);
    await renewAt('2026-02-01T00:00:00Z');
    clock.set(new Date('2026-02-15T00:00:00Z'));
    assert.equal((await remove(path)).amount_minor, 199 + 375);
    await wallet();
  });

test('wishes that cannot be met are refused, and nothing is charged', async (t) => {
  const { services, buy, set, wallet } = await addOnShop(t, { funds: 7_00n });
  const { id } = await buy();
  const field = (name: string) => (error: { details: { fields: { field: string }[] } }) =>
    error.details.fields[0]!.field === name;
  await assert.rejects(set(id, 'nothing', 1), field('add_on'));
  await assert.rejects(set(id, 'ipv4', 6), field('quantity'));
  await assert.rejects(set(id, 'ipv4', -1), field('quantity'));
  await assert.rejects(set(id, 'ipv4', 1.5), field('quantity'));
  await assert.rejects(set(id, 'ipv4', 0), { code: 'invalid_state' });
  await assert.rejects(set(id, 'ipv4', 1, 249), { code: 'price_changed' });
  await assert.rejects(set(id, 'ipv4', 2), { code: 'insufficient_funds' });
  assert.deepEqual(await wallet(), [301n, 0n]);
  await set(id, 'ipv4', 1, 250);
  await assert.rejects(set(id, 'ipv4', 1), { code: 'invalid_state' });
  services.catalog.add_ons![0]!.deprecated = true;
  await assert.rejects(set(id, 'ipv4', 2), field('add_on'));
  // An add-on that is no longer in the catalog can only be removed.
  services.catalog.add_ons = [];
  await assert.rejects(set(id, 'ipv4', 2), field('add_on'));
  await set(id, 'ipv4', 0);
  assert.deepEqual(await wallet(), [301n, 0n]);
});

test('a quote shows what an order would charge, and why it would be refused', async (t) => {
  const { db, clock, customer, services, buy, set } = await addOnShop(t);
  const { id } = await buy();
  clock.set(new Date(HALF));
  const vm = (await findVm(db, customer.accountId, id))!;
  const wallet = await customer.wallet();
  const terms = { catalog: catalogFor(services.catalog, undefined), buyer: undefined, now: clock.now() };
  const wish = { addOn: 'ipv4', quantity: 2 };
  const quote = decideAddOn(vm, wish, { ...terms, wallet });
  assert.deepEqual([quote.charge.total_minor, quote.refusals], [250n, []]);
  const indebted = decideAddOn(vm, wish, { ...terms, wallet: { ...wallet, claimed_minor: 300_00n } });
  assert.deepEqual(
    indebted.refusals.map(({ code }) => code),
    ['insufficient_funds'],
  );
  assert.equal((await set(id, 'ipv4', 2)).amount_minor, 250n);
});
