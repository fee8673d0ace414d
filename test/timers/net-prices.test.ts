import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import type { BillingProfile } from '../../server/domain/tax/billing-profile.ts';
import { PriceNotices } from '../../server/jobs/timers/price-notices.ts';
import { Failures } from '../../server/platform/failures.ts';
import { SELLER } from '../documents/support/samples.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, renewalsOf, tenant, vmOf } from '../jobs/support/landlord.ts';
import { Operator } from '../jobs/support/operator.ts';
import { assertInvariants } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';
import { linesOf, send } from './usage-support.ts';

const START = '2026-01-10T00:00:00Z';
const CUSTOM = { vcpu: 3, ram_mb: 4096, disk_gb: 40 };
const { name, street, city, postcode, country, vat_id } = SELLER;
const seller = { name, street, city, postcode, country, vat_id };

const DUTCH: BillingProfile = {
  kind: 'business',
  name: 'Ægir B.V.',
  street: 'Damrak 1',
  city: 'Amsterdam',
  postcode: '1012 LG',
  country: 'NL',
  vat_id: 'NL004495445B01',
  exempt_reason: null,
};
const GERMAN: BillingProfile = { ...DUTCH, name: 'Ägir GmbH', country: 'DE', vat_id: 'DE136695976' };
const CONSUMER: BillingProfile = { ...DUTCH, name: 'Ann', kind: 'consumer', vat_id: null };

/**
 * A seller at 19 % that sells to businesses at net prices, and a customer with 1000.00: `s2` costs 6.99 (5.87 net),
 * `s4` 12.99 (10.92 net).
 */
async function open(t: TestContext, buyer: BillingProfile | null, of: object = {}) {
  const fixture = await Fixture.open(t, START);
  const { services } = fixture.installation;
  Object.assign(services.catalog, { tax_rate: '0.19', seller, business_prices: 'net', ...of });
  const customer = await tenant(fixture, 1000_00n);
  const operator = new Operator(services);
  const becomes = (profile: BillingProfile) => operator.setBuyer(customer, profile);
  if (buyer) await becomes(buyer);
  const notices = new PriceNotices(services, new Failures(services));
  /** Sets the clock to each of these days in turn, and runs all timers twice on each. */
  const passes = async (...days: string[]) => {
    for (const day of days) {
      for (let round = 0; round < 2; round++) {
        await comes(fixture, `${day}T00:00:00Z`);
        await notices.run();
      }
    }
  };
  return { fixture, customer, operator, becomes, passes, catalog: services.catalog };
}

const get = (customer: Customer, path: string) => customer.must({ method: 'GET', path });

/** Returns the cost of the only VM's next renewal, after checking that all pages agree. */
async function nextOf(customer: Customer, id: string): Promise<number> {
  const { next_charge_minor } = await get(customer, `/v1/vm/${id}/billing`);
  const { next_charges } = await get(customer, '/v1/billing/summary');
  const { burn_rate_monthly_minor } = await get(customer, '/v1/billing/wallet');
  assert.deepEqual(
    [next_charges[0].amount_minor, burn_rate_monthly_minor],
    [next_charge_minor, next_charge_minor],
  );
  return next_charge_minor;
}

/** Returns the notices of a VM: their date, the new and the old price, and the start. */
async function noticesOf(customer: Customer, id: string) {
  const events: { created_at: string; metadata: Record<string, unknown> }[] = await get(
    customer,
    `/v1/vm/${id}/events?type=billing.price_change`,
  );
  return events.toReversed().map(({ created_at, metadata }) => {
    const { price_monthly_minor: price, old_price_monthly_minor: old, from_at } = metadata;
    return [created_at.slice(0, 10), old, price, String(from_at).slice(0, 10)];
  });
}

for (const [who, buyer, month, tax] of [
  ['business abroad with a VAT id pays net', DUTCH, 587, 0],
  ['business at home pays net and the tax', GERMAN, 699, 112],
  ['consumer pays the list price', CONSUMER, 699, 112],
] as const)
  test(`a ${who}: price list, charge, invoice and renewal are the same`, async (t) => {
    const { fixture, customer } = await open(t, buyer);
    const says = { net_prices: buyer.vat_id !== null, tax_rate: tax > 0 ? '0.19' : '0' };
    for (const path of ['/v1/vm/catalog', '/v1/public/plans']) {
      const { plans, net_prices, tax_rate } = await get(customer, path);
      const { price_monthly_minor, price_monthly_net_minor } = plans[1];
      assert.deepEqual([price_monthly_minor, price_monthly_net_minor], [month, 587]);
      assert.deepEqual({ net_prices, tax_rate }, says);
    }
    const { net_prices, tax_rate } = await get(customer, '/v1/vm/prices');
    assert.deepEqual({ net_prices, tax_rate }, says);
    const id = await buyVm(fixture, customer);
    assert.equal(await nextOf(customer, id), month);
    const options = await get(customer, `/v1/vm/${id}/plan-options?all=true`);
    assert.equal(options[1].plan.price_monthly_minor, month);
    await comes(fixture, '2026-02-10T00:00:00Z');
    assert.deepEqual(await renewalsOf(fixture, id), [BigInt(month)]);
    const { data } = await customer.call({ method: 'DELETE', path: `/v1/vm/${id}` });
    assert.equal(data.refund.amount_minor, month);
    await fixture.finish();
    await issueInvoices(fixture.db, new Date('2026-03-01T01:00:00Z'), undefined, {
      ...{ ...seller, tax_number: null, registration_id: null, email: null },
    });
    const invoices: { type: string; total_minor: number; tax_minor: number }[] = await get(
      customer,
      '/v1/billing/invoices',
    );
    const figures = invoices.map(({ type, total_minor, tax_minor }) => [type, total_minor, tax_minor]);
    assert.deepEqual(figures.slice(-1), [['invoice', month, tax]]);
    await assertInvariants(fixture.db);
  });

test('quotes of sizes and changes are charged as quoted', async (t) => {
  const { fixture, customer } = await open(t, DUTCH);
  const id = await buyVm(fixture, customer);
  // 3 × 1.848739 + 4 × 0.92437 + 40 × 0.037815 = 10.756…
  const query = 'vcpu=3&ram_mb=4096&disk_gb=40';
  assert.equal((await get(customer, `/v1/vm/custom-quote?${query}`)).total_minor, 1076);
  const [vcpu] = (await get(customer, '/v1/vm/prices')).components;
  assert.equal(vcpu.price_monthly, '1.848739');
  const { net_minor } = await get(customer, `/v1/vm/${id}/plan-quote?${query}`);
  assert.equal(net_minor, 1076 - 587);
  const body = { ...CUSTOM, allow_reboot: true, max_charge_minor: net_minor };
  const { order } = await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-custom`, body });
  await fixture.finish();
  assert.equal(order.amount_minor, net_minor);
  assert.equal(await nextOf(customer, id), 1076);
  await comes(fixture, '2026-02-10T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [1076n]);
  const change = await get(customer, `/v1/vm/${id}/plan-quote?plan=s4`);
  assert.equal(change.net_minor, 1092 - 1076);
  const wish = { plan: 's4', allow_reboot: true };
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body: wish });
  await fixture.finish();
  assert.ok((await vmOf(fixture, id)).upgraded_at !== null);
  assert.equal(await nextOf(customer, id), 1092);
  await assertInvariants(fixture.db);
});

test('hours are sold at net prices, and a whole month of them costs its price', async (t) => {
  const { fixture, customer } = await open(t, DUTCH);
  const id = await buyVm(fixture, customer, { billing: 'hourly' });
  const vm = await vmOf(fixture, id);
  // 0.0105 / 1.19
  assert.deepEqual([vm.deposit_minor, vm.price_hourly_micros, vm.price_monthly_minor], [587n, 8824n, 587n]);
  await comes(fixture, '2026-02-10T00:00:00Z');
  await comes(fixture, '2026-02-10T10:00:00Z');
  const { data } = await customer.call({ method: 'DELETE', path: `/v1/vm/${id}` });
  await fixture.finish();
  // 10 × 0.008824 = 0.09
  assert.equal(data.refund.amount_minor, 587 - 9);
  const sold = await linesOf(fixture, id, 'hourly_usage');
  assert.deepEqual(
    sold.filter(({ unit }) => unit !== 'deposit').map(({ amount_minor }) => amount_minor),
    [587n],
  );
  await assertInvariants(fixture.db);
});

test('usage has the prices of the buyer with whom its period began', async (t) => {
  const usage = { traffic_per_gb: '0.0119', snapshot_gb_month: '0.119' };
  const { fixture, customer, catalog, becomes } = await open(t, DUTCH, { usage });
  for (const plan of catalog.plans) plan.bandwidth_gb = 1000;
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-12', 1100);
  await becomes(CONSUMER);
  await comes(fixture, '2026-02-10T00:00:00Z');
  await send(fixture, id, '2026-02-12', 1100);
  await comes(fixture, '2026-03-10T00:00:00Z');
  const lines = await linesOf(fixture, id, 'renew');
  assert.deepEqual(
    lines.map(({ unit, unit_price, amount_minor }) => [unit, unit_price, amount_minor]),
    [
      ['GB', '0.01', 100n],
      ['month', '6.99', 699n],
      ['GB', '0.0119', 119n],
      ['month', '6.99', 699n],
    ],
  );
  await assertInvariants(fixture.db);
});

test('a buyer who is no longer such a business is notified before the price rises', async (t) => {
  const { fixture, customer, becomes, passes } = await open(t, DUTCH, { price_notice_days: 45 });
  const id = await buyVm(fixture, customer);
  await passes('2026-01-11');
  assert.deepEqual(await noticesOf(customer, id), []);
  await becomes(CONSUMER);
  // The next renewal is too soon for a notice.
  assert.equal(await nextOf(customer, id), 587);
  await passes('2026-01-20');
  assert.deepEqual(await noticesOf(customer, id), [['2026-01-20', 587, 699, '2026-03-10']]);
  await passes('2026-02-10', '2026-03-10', '2026-04-10');
  assert.deepEqual(await renewalsOf(fixture, id), [587n, 699n, 699n]);
  assert.equal((await noticesOf(customer, id)).length, 1);
  await assertInvariants(fixture.db);
});

test('a buyer who becomes one pays less from the next renewal on, without notice', async (t) => {
  const { fixture, customer, becomes, passes } = await open(t, CONSUMER, { price_notice_days: 30 });
  const id = await buyVm(fixture, customer);
  await passes('2026-01-11');
  await becomes(DUTCH);
  assert.equal(await nextOf(customer, id), 587);
  const { next_price } = await get(customer, `/v1/vm/${id}/billing`);
  assert.deepEqual(next_price, { price_monthly_minor: 587, from_at: '2026-02-10T00:00:00.000Z' });
  await passes('2026-02-10');
  assert.deepEqual(await renewalsOf(fixture, id), [587n]);
  assert.deepEqual(await noticesOf(customer, id), []);
  await assertInvariants(fixture.db);
});

test('a notice is withdrawn if the buyer is such a business again', async (t) => {
  const { fixture, customer, becomes, passes } = await open(t, DUTCH, { price_notice_days: 30 });
  const id = await buyVm(fixture, customer);
  await becomes(CONSUMER);
  await passes('2026-01-15');
  await becomes(DUTCH);
  await passes('2026-01-16');
  assert.equal((await vmOf(fixture, id)).price_notice_minor, null);
  await passes('2026-02-10', '2026-03-10');
  assert.deepEqual(await renewalsOf(fixture, id), [587n, 587n]);
  await assertInvariants(fixture.db);
});

test('a running period is refunded at the price it was sold for, even if the buyer has changed', async (t) => {
  for (const [first, then, paid] of [
    [DUTCH, CONSUMER, 587],
    [CONSUMER, DUTCH, 699],
  ] as const) {
    const { fixture, customer, becomes } = await open(t, first);
    const id = await buyVm(fixture, customer);
    await becomes(then);
    const preview = await get(customer, `/v1/vm/${id}/delete-preview`);
    const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
    await fixture.finish();
    assert.deepEqual([preview.refund_minor, refund.amount_minor], [paid, paid]);
    await assertInvariants(fixture.db);
  }
});

test('missed months have the prices of the buyer at the payment', async (t) => {
  const { fixture, customer, becomes, operator, catalog } = await open(t, CONSUMER);
  const id = await buyVm(fixture, customer);
  const funds = (await customer.wallet()).available_minor;
  await operator.adjust(customer, {
    type: 'debit',
    amountMinor: funds,
    vmId: undefined,
    reason: 'none left',
  });
  await comes(fixture, '2026-02-10T00:00:00Z');
  await becomes(DUTCH);
  assert.equal((await get(customer, '/v1/billing/summary')).overdue_minor, 587);
  await customer.topUp(587n);
  await comes(fixture, '2026-02-10T01:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [587n]);
  findPlan(catalog, 's2')!.price_monthly = '8.00';
  assert.equal(await nextOf(customer, id), 672);
  await assertInvariants(fixture.db);
});
