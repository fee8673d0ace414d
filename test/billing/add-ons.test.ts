import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, sql } from '../../server/db/database.ts';
import { findVm } from '../../server/db/queries/vms/vms.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { catalogFor } from '../../server/domain/catalog/buyer-prices.ts';
import { decideAddOn } from '../../server/domain/vms/add-ons.ts';
import { giveRenewalNotices } from '../../server/jobs/timers/renewal-notices.ts';
import { Failures } from '../../server/platform/failures.ts';
import { profile, setProfile } from '../documents/support/seller.ts';
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

test('many changes within a second of each other charge what they come to, and give back no more', async (t) => {
  const { clock, buy, set, wallet } = await addOnShop(t);
  const { id } = await buy();
  clock.set(new Date('2026-01-11T03:04:05Z'));
  for (const quantity of [1, 3, 2, 5, 4, 1, 0, 2, 3, 0]) await set(id, 'ipv4', quantity);
  assert.deepEqual(await wallet(), [200_00n - 399n, 0n]);
});

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

test('credit that paid for an add-on comes back with a deletion that also charges for use', async (t) => {
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

test('a VM whose renewal with its add-ons is not covered is unpaid as a whole, and pays for its grace', async (t) => {
  const { db, customer, buy, set, held, linesOf, orders, renewAt, done, wallet } = await addOnShop(t, {
    funds: 12_00n,
  });
  const { id, path } = await buy();
  await set(id, 'ipv4', 2);
  // Enough for the VM itself, too little with its add-ons.
  await customer.topUp(500n, 'almost');
  await renewAt('2026-02-01T00:00:00Z');
  assert.deepEqual(await orders(id, 'renew'), []);
  assert.deepEqual(await wallet(), [801n, 0n]);
  const summary = await customer.must({ method: 'GET', path: '/v1/billing/summary' });
  assert.deepEqual([summary.overdue_minor, summary.shortfall_minor], [899, 98]);
  await assert.rejects(set(id, 'ipv4', 0), { code: 'payment_due' });

  // The VM is switched off after three days of grace, in a month of 28 days.
  await renewAt('2026-02-04T00:00:00Z');
  assert.equal((await customer.must({ method: 'GET', path })).status, 'suspended');
  await assert.rejects(set(id, 'ipv4', 1), { code: 'vm_suspended' });
  await customer.topUp(500n, 'enough');
  await renewAt('2026-02-10T00:00:00Z');
  const [renewal] = await orders(id, 'renew');
  assert.deepEqual(await linesOf(renewal!.id), [
    [`Grace on 2 × ${IPV4}`, 'add_on', 54n],
    [`2 × ${IPV4}`, 'add_on', 500n],
    ['Grace on Shared S1', 'month', 43n],
    ['Shared S1', 'month', 399n],
  ]);
  const [addOn] = await held(id);
  assert.equal(addOn!.period.endAt.toISOString(), '2026-03-10T00:00:00.000Z');
  assert.deepEqual(await wallet(), [1301n - 54n - 500n - 43n - 399n, 0n]);

  // The VM stays unpaid and is deleted with its add-ons; none of their price is refunded.
  await execute(db, sql`update vms set auto_renew = false where id = ${id}`);
  for (const at of [
    '2026-03-10T00:00:00Z',
    '2026-03-13T00:00:01Z',
    '2026-03-24T00:00:02Z',
    '2026-03-28T00:00:03Z',
  ])
    await renewAt(at);
  await done();
  assert.equal((await customer.call({ method: 'GET', path })).status, 404);
  assert.deepEqual(await held(id), []);
  assert.deepEqual(await orders(id, 'delete_refund'), []);
  await wallet();
});

test('months that were missed are renewed with the add-ons, one order each', async (t) => {
  const { buy, set, linesOf, orders, renewAt, wallet } = await addOnShop(t);
  const { id } = await buy();
  await set(id, 'backup', 1);
  await renewAt('2026-03-05T00:00:00Z');
  const renewals = await orders(id, 'renew');
  for (const renewal of renewals)
    assert.deepEqual(await linesOf(renewal.id), [
      ['Backups', 'add_on', 100n],
      ['Shared S1', 'month', 399n],
    ]);
  assert.deepEqual([renewals.length, await wallet()], [2, [200_00n - 3n * 499n, 0n]]);
});

test('the periods of an add-on follow those of a VM that was bought at the end of a month', async (t) => {
  const { db, clock, buy, set, renewAt, remove, wallet } = await addOnShop(t, {
    start: '2028-01-31T23:30:00Z',
  });
  const { id, path } = await buy();
  clock.set(new Date('2028-02-15T11:30:00Z'));
  // 14.5 days are left of a period of 29 days, in a leap year.
  assert.equal((await set(id, 'ipv4', 1)).amount_minor, 125n);
  await renewAt('2028-02-29T23:30:00Z');
  await renewAt('2028-03-31T23:30:00Z');
  const periods = await db.query<{ from_at: Date; to_at: Date; amount_minor: bigint }>(sql`
    select from_at, to_at, order_lines.amount_minor from order_lines join orders on orders.id = order_id
    where vm_id = ${id} and add_on = 'ipv4' and kind = 'renew' order by from_at`);
  assert.deepEqual(
    periods.map(({ from_at, to_at, amount_minor }) => [
      from_at.toISOString(),
      to_at.toISOString(),
      amount_minor,
    ]),
    [
      ['2028-02-29T23:30:00.000Z', '2028-03-31T23:30:00.000Z', 250n],
      ['2028-03-31T23:30:00.000Z', '2028-04-30T23:30:00.000Z', 250n],
    ],
  );
  clock.set(new Date('2028-04-15T23:30:00Z'));
  assert.equal((await remove(path)).amount_minor, 199 + 125);
  await wallet();
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

test('a notice of a renewal that is not covered names what the VM costs with its add-ons', async (t) => {
  const { db, clock, services, buy, set, wallet } = await addOnShop(t, { funds: 13_00n });
  const { id } = await buy();
  await set(id, 'ipv4', 2);
  clock.set(new Date('2026-01-25T00:00:00Z'));
  await giveRenewalNotices(services, new Failures(services));
  const [notice] = await db.query<{ metadata: { amount_minor: number; lacking_minor: number } }>(
    sql`select metadata from events where vm_id = ${id} and type = 'billing.renewal_due'`,
  );
  assert.deepEqual([notice!.metadata.amount_minor, notice!.metadata.lacking_minor], [899, 899 - 401]);
  await wallet();
});

test('an operator refunds or voids an add-on, and its VM then gives back only what is left of it', async (t) => {
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

test('a renewal that is voided gives back the VM and its add-ons, at most what was paid for each', async (t) => {
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

test('a VM that is billed by the hour has add-ons by the month', async (t) => {
  const { clock, customer, buy, set, linesOf, orders, renewAt, remove, wallet } = await addOnShop(t);
  const { id, path } = await buy('s1', 'hourly');
  clock.set(new Date(HALF));
  assert.equal((await set(id, 'ipv4', 2)).amount_minor, 250n);
  await renewAt('2026-02-01T00:00:00Z');
  const [renewal] = await orders(id, 'renew');
  assert.deepEqual(await linesOf(renewal!.id), [
    [`2 × ${IPV4}`, 'add_on', 500n],
    ['Deposit for Shared S1', 'deposit', 399n],
  ]);
  assert.equal((await customer.must({ method: 'GET', path: '/v1/billing/wallet' })).held_minor, 399);
  await wallet();
  clock.set(new Date('2026-02-15T00:00:00Z'));
  const refund = await remove(path);
  const [gone] = await orders(id, 'delete_refund');
  assert.deepEqual((await linesOf(gone!.id)).at(-1), [`Unused time on 2 × ${IPV4}`, 'add_on', -250n]);
  assert.ok(refund.amount_minor >= 250);
  await wallet();
});

test('a renewal has the price of its day, but none that is higher without a notice', async (t) => {
  const { services, buy, set, orders, renewAt, linesOf, wallet } = await addOnShop(t);
  const { id } = await buy();
  await set(id, 'ipv4', 1);
  const [ipv4] = services.catalog.add_ons!;
  ipv4!.prices = [{ valid_from: '2026-01-20', existing_from: '2026-02-20', price_monthly: '3.00' }];
  await renewAt('2026-02-01T00:00:00Z');
  await renewAt('2026-03-01T00:00:00Z');
  services.catalog.price_notice_days = 30;
  Object.assign(ipv4!, { prices: undefined, price_monthly: '4.00' });
  await renewAt('2026-04-01T00:00:00Z');
  Object.assign(ipv4!, { price_monthly: '2.00', name: 'Another IPv4 address' });
  await renewAt('2026-05-01T00:00:00Z');
  services.catalog.add_ons = [];
  await renewAt('2026-06-01T00:00:00Z');
  const sold = [];
  for (const { id: order } of await orders(id, 'renew')) sold.push((await linesOf(order))[0]);
  assert.deepEqual(sold, [
    [IPV4, 'add_on', 250n],
    [IPV4, 'add_on', 300n],
    [IPV4, 'add_on', 300n],
    ['Another IPv4 address', 'add_on', 200n],
    ['Another IPv4 address', 'add_on', 200n],
  ]);
  await wallet();
});

test('a business that buys net pays the net price and its own tax, and a refund keeps the tax of the sale', async (t) => {
  const { db, clock, customer, services, buy, set, renewAt, linesOf, wallet } = await addOnShop(t);
  Object.assign(services.catalog, { business_prices: 'net', tax_rates: { AT: '0.20' } });
  services.catalog.seller = {
    ...{ name: 'Hoster', street: 'Street 1', city: 'Cologne', postcode: '50667', country: 'DE' },
    vat_id: 'DE123456788',
  };
  const { id } = await buy();
  const business = profile({ kind: 'business', country: 'AT', vat_id: 'ATU12345675' });
  await setProfile(db, clock, customer.accountId, business);
  const bought = await set(id, 'ipv4', 2);
  // 2.50 less 19 % is 2.10; the buyer owes the tax.
  assert.deepEqual(await linesOf(bought.id), [[`2 × ${IPV4}`, 'add_on', 420n]]);
  const taxed = (order: string) =>
    db.query(sql`select tax_category, tax_rate, sold_to ->> 'vat_id' as vat_id from order_lines where order_id = ${order}
      order by position`);
  const sold = { tax_category: 'reverse_charge', tax_rate: '0', vat_id: 'ATU12345675' };
  assert.deepEqual(await taxed(bought.id), [sold]);
  await setProfile(db, clock, customer.accountId, profile());
  clock.set(new Date(HALF));
  const fewer = await set(id, 'ipv4', 1);
  assert.equal((await taxed(fewer.id)).length, 2);
  assert.deepEqual((await taxed(fewer.id))[0], sold);
  assert.notDeepEqual((await taxed(fewer.id))[1], sold);
  await renewAt('2026-02-01T00:00:00Z');
  await wallet();
});

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

test('the audit finds add-ons that were not sold like this, and those that are lost', async (t) => {
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
  const paid = ['a VM knows what its add-ons have paid for'];
  assert.deepEqual(await lawsBroken(`jsonb_set(add_ons, '{0,quantity}', '3')`), paid);
  assert.deepEqual(await lawsBroken(`jsonb_set(add_ons, '{0,price_minor}', '"249"')`), paid);
  assert.deepEqual(await lawsBroken(`jsonb_set(add_ons, '{0,end_at}', '"2026-03-01T00:00:00Z"')`), paid);
  assert.deepEqual(await lawsBroken(`jsonb_set(add_ons, '{0,code}', '"backup"')`), [
    ...paid,
    'a VM has the add-ons that it has paid for',
  ]);
  assert.deepEqual(await lawsBroken('null'), ['a VM has the add-ons that it has paid for']);
  assert.deepEqual(await lawsBroken(`jsonb_set(add_ons, '{0,refundable_minor}', '"501"')`), [
    'a VM knows what may still be given back of its add-ons',
  ]);
  assert.deepEqual(await auditNow(db), []);
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

test('an add-on of which nothing can come back is given up, even if the clock was set back', async (t) => {
  const { clock, buy, set, refund, wallet } = await addOnShop(t);
  const { id } = await buy();
  clock.set(new Date(HALF));
  const bought = await set(id, 'ipv4', 2);
  await refund(bought.id);
  clock.putBack(3_600_000);
  assert.equal((await set(id, 'ipv4', 0)).amount_minor, 0n);
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
