import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, sql } from '../../server/db/database.ts';
import { giveRenewalNotices } from '../../server/jobs/timers/renewal-notices.ts';
import { Failures } from '../../server/platform/failures.ts';
import { profile, setProfile } from '../documents/support/seller.ts';
import { addOnShop } from './add-on-shop.ts';

const HALF = '2026-01-16T12:00:00Z';
const IPV4 = 'Extra IPv4 address';

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

const SELLER = {
  ...{ name: 'Hoster', street: 'Street 1', city: 'Cologne', postcode: '50667', country: 'DE' },
  vat_id: 'DE123456788',
};

test('a business that becomes a consumer keeps the net of an add-on and pays the tax on it', async (t) => {
  const { db, clock, customer, services, buy, set, orders, linesOf, renewAt, wallet } = await addOnShop(t);
  const { catalog } = services;
  Object.assign(catalog, { business_prices: 'net', price_notice_days: 30, seller: SELLER });
  const becomes = (buyer: Parameters<typeof profile>[0]) =>
    setProfile(db, clock, customer.accountId, profile(buyer));
  await becomes({ kind: 'business', country: 'AT', vat_id: 'ATU12345675' });
  const { id } = await buy();
  await set(id, 'ipv4', 2);
  await set(id, 'backup', 1);
  // A higher price applies to others; this customer keeps 2.10 net, which is 2.50 with the tax.
  catalog.add_ons![0]!.price_monthly = '3.00';
  catalog.add_ons!.pop();
  await renewAt('2026-02-01T00:00:00Z');
  await becomes({ kind: 'consumer', country: 'DE' });
  const { next_charge_minor } = await customer.must({ method: 'GET', path: `/v1/vm/${id}/billing` });
  await renewAt('2026-03-01T00:00:00Z');
  await renewAt('2026-04-01T00:00:00Z');
  // A price that was sold net stays net: another tax rate changes it, and a detour to another buyer does not.
  catalog.tax_rate = '0.21';
  await renewAt('2026-05-01T00:00:00Z');
  await becomes({ kind: 'business', country: 'AT', vat_id: 'ATU12345675' });
  await renewAt('2026-06-01T00:00:00Z');
  catalog.tax_rate = '0.19';
  await becomes({ kind: 'consumer', country: 'DE' });
  await renewAt('2026-07-01T00:00:00Z');
  const sold = [];
  for (const { id: order } of await orders(id, 'renew')) sold.push((await linesOf(order)).slice(0, 2));
  const month = (backup: bigint, ipv4: bigint) => [
    ['Backups', 'add_on', backup],
    [`2 × ${IPV4}`, 'add_on', ipv4],
  ];
  assert.deepEqual(sold, [
    month(84n, 420n),
    month(100n, 500n),
    month(100n, 500n),
    month(102n, 508n),
    month(84n, 420n),
    month(100n, 500n),
  ]);
  const [second] = (await orders(id, 'renew')).slice(1);
  assert.equal(BigInt(next_charge_minor), second!.amount_minor);
  await wallet();
});

test('a net price that left the catalog stays net if the quantity is reduced for another buyer', async (t) => {
  const { db, clock, customer, services, buy, set, held, wallet } = await addOnShop(t);
  Object.assign(services.catalog, { business_prices: 'net', seller: SELLER });
  const becomes = (buyer: Parameters<typeof profile>[0]) =>
    setProfile(db, clock, customer.accountId, profile(buyer));
  await becomes({ kind: 'business', country: 'AT', vat_id: 'ATU12345675' });
  const { id } = await buy();
  await set(id, 'ipv4', 2);
  services.catalog.add_ons = [];
  await becomes({ kind: 'consumer', country: 'DE' });
  await set(id, 'ipv4', 1);
  assert.deepEqual(
    (await held(id)).map(({ price_minor, tax_rate }) => [price_minor, tax_rate]),
    [[250n, '0.19']],
  );
  await wallet();
});
