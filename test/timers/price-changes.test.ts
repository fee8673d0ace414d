import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { PriceNotices } from '../../server/jobs/timers/price-notices.ts';
import { giveRenewalNotices } from '../../server/jobs/timers/renewal-notices.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, eventsOf, powerOf, renewalsOf, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const START = '2026-01-10T00:00:00Z';
const CUSTOM = { vcpu: 3, ram_mb: 4096, disk_gb: 40, allow_reboot: true };

/** A customer with money, whose VM of plan s2 costs 6.99 per month. */
async function owner(t: TestContext, funds = 1000_00n) {
  const fixture = await Fixture.open(t, START);
  const customer = await tenant(fixture, funds);
  const { catalog } = fixture.installation.services;
  return { fixture, customer, catalog, plan: findPlan(catalog, 's2')!, node: nodeOf(fixture) };
}

/** A separate node checks the prices. An edited catalog needs a new node, because it takes a restart. */
function nodeOf(fixture: Fixture) {
  const { services } = fixture.installation;
  const failures = new Failures(services);
  const notices = new PriceNotices(services, failures);
  return {
    /** Sets the clock to `instant` and runs two rounds of everything: the second must not repeat anything. */
    async passes(...instants: string[]): Promise<void> {
      for (const instant of instants) {
        for (let round = 0; round < 2; round++) {
          await comes(fixture, instant);
          await notices.run();
          await giveRenewalNotices(services, failures);
        }
      }
    },
  };
}

const get = (customer: Customer, path: string) => customer.must({ method: 'GET', path });
const billingOf = (customer: Customer, id: string) => get(customer, `/v1/vm/${id}/billing`);

async function nextOf(customer: Customer, id: string) {
  const { next_charge_minor, next_price } = await billingOf(customer, id);
  const { next_charges } = await get(customer, '/v1/billing/summary');
  const { burn_rate_monthly_minor } = await get(customer, '/v1/billing/wallet');
  assert.equal(
    next_charges.find((charge: { vm_id: string }) => charge.vm_id === id).amount_minor,
    next_charge_minor,
  );
  assert.equal(burn_rate_monthly_minor, next_charge_minor);
  return [next_charge_minor, next_price && [next_price.price_monthly_minor, next_price.from_at.slice(0, 10)]];
}

async function toldOf(customer: Customer, id: string, type: string) {
  const events = await get(customer, `/v1/vm/${id}/events?type=${type}`);
  return events.toReversed() as { metadata: Record<string, unknown>; message: string; created_at: string }[];
}

/** Returns its notices: their date, the price, and the start. */
async function noticesOf(customer: Customer, id: string) {
  const told = await toldOf(customer, id, 'billing.price_change');
  return told.map(({ created_at, metadata: { price_monthly_minor: price, from_at } }) => [
    created_at.slice(0, 10),
    price,
    String(from_at).slice(0, 10),
  ]);
}

test('a sale takes the price of its day, and earlier sales keep their own until its date', async (t) => {
  const { fixture, customer, plan } = await owner(t);
  plan.prices = [{ valid_from: '2026-03-01', price_monthly: '8.00', existing_from: '2026-06-01' }];
  const early = await buyVm(fixture, customer);
  assert.deepEqual(await nextOf(customer, early), [699, [800, '2026-06-10']]);
  const { clock } = fixture.installation.services;
  clock.set(new Date('2026-02-28T23:59:59.999Z'));
  const [before] = (await get(customer, '/v1/public/plans')).plans.slice(1);
  assert.deepEqual([before.price_monthly_minor, before.next_price.price_monthly_minor], [699, 800]);
  assert.equal(before.next_price.from_at, '2026-03-01T00:00:00.000Z');
  clock.set(new Date('2026-03-01T00:00:00Z'));
  for (const path of ['/v1/public/plans', '/v1/vm/catalog']) {
    const { price_monthly_minor, next_price } = (await get(customer, path)).plans[1];
    assert.deepEqual([price_monthly_minor, next_price], [800, null]);
  }
  const late = await buyVm(fixture, customer);
  assert.equal((await billingOf(customer, late)).lifetime_charged_minor, 800);
  for (const day of ['2026-03-10', '2026-04-10', '2026-05-10', '2026-06-10', '2026-07-10'])
    await comes(fixture, `${day}T00:00:00Z`);
  // Bought in January and due since February; that month is paid together with March.
  assert.deepEqual(await renewalsOf(fixture, early), [699n, 699n, 699n, 699n, 800n, 800n]);
  assert.deepEqual(await renewalsOf(fixture, late), [800n, 800n, 800n, 800n]);
  await assertInvariants(fixture.db);
});

test('so does a plan that is no longer sold, and a removed one keeps its price', async (t) => {
  const { fixture, customer, catalog, plan } = await owner(t);
  const id = await buyVm(fixture, customer);
  plan.deprecated = true;
  plan.prices = [{ valid_from: '2026-01-15', price_monthly: '8.00', existing_from: '2026-03-01' }];
  for (const day of ['2026-02-10', '2026-03-10']) await comes(fixture, `${day}T00:00:00Z`);
  catalog.plans = catalog.plans.filter(({ code }) => code !== 's2');
  assert.deepEqual(await nextOf(customer, id), [800, null]);
  await comes(fixture, '2026-04-10T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [699n, 800n, 800n]);
});

test('custom sizes have later prices too, in quote, change and renewal', async (t) => {
  const { fixture, customer, catalog } = await owner(t);
  const id = await buyVm(fixture, customer);
  // 3 × 2.20 + 4 × 1.10 + 40 × 0.045 = 12.80, later 3 × 3 + 4 × 1.10 + 40 × 0.045 = 15.20
  catalog.custom.prices = [
    { valid_from: '2026-01-20', price_monthly: { vcpu: '3', ram_gb: '1.10', disk_gb: '0.045' } },
  ];
  const quote = '/v1/vm/custom-quote?vcpu=3&ram_mb=4096&disk_gb=40';
  assert.equal((await get(customer, quote)).total_minor, 1280);
  const [vcpu] = (await get(customer, '/v1/vm/prices')).components;
  assert.deepEqual(
    [vcpu.price_monthly, vcpu.next_price.price_monthly, vcpu.next_price.from_at],
    ['2.20', '3', '2026-01-20T00:00:00.000Z'],
  );
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-custom`, body: CUSTOM });
  await fixture.finish();
  assert.deepEqual(await nextOf(customer, id), [1520, [1520, '2026-02-10']]);
  const { clock } = fixture.installation.services;
  clock.set(new Date('2026-01-19T23:58:00Z'));
  assert.equal((await get(customer, quote)).valid_until, '2026-01-20T00:00:00.000Z');
  clock.set(new Date('2026-01-20T00:00:00Z'));
  assert.equal((await get(customer, quote)).total_minor, 1520);
  await comes(fixture, '2026-02-10T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [1520n]);
  await assertInvariants(fixture.db);
});

test('a change of plan is a sale at the price of its day', async (t) => {
  const { fixture, customer, catalog } = await owner(t);
  const id = await buyVm(fixture, customer);
  findPlan(catalog, 's4')!.prices = [
    { valid_from: '2026-01-12', price_monthly: '20.00', existing_from: '2027-01-01' },
  ];
  fixture.installation.services.clock.set(new Date('2026-01-12T00:00:00Z'));
  const quote = await get(customer, `/v1/vm/${id}/plan-quote?plan=s4`);
  // (20.00 − 6.99) × 29 / 31
  assert.equal(quote.net_minor, 1217);
  const options = await get(customer, `/v1/vm/${id}/plan-options`);
  const option = options.find(({ plan }: { plan: { code: string } }) => plan.code === 's4');
  assert.deepEqual([option.net_minor, option.plan.price_monthly_minor], [1217, 2000]);
  const body = { plan: 's4', allow_reboot: true };
  const { order } = await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body });
  assert.equal(order.amount_minor, 1217);
  await fixture.finish();
  await comes(fixture, '2026-02-10T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [2000n], 'what is sold at the new price keeps that');
  await assertInvariants(fixture.db);
});

test('a higher price is charged once its owner has had notice in time, and announced once', async (t) => {
  const { fixture, customer, catalog, plan, node } = await owner(t);
  const id = await buyVm(fixture, customer);
  await node.passes('2026-01-10T00:00:01Z');
  catalog.price_notice_days = 30;
  plan.price_monthly = '8.00';
  // One second too late for the renewal of 10 February.
  const restarted = nodeOf(fixture);
  await restarted.passes('2026-01-11T00:00:01Z');
  assert.deepEqual(await noticesOf(customer, id), [['2026-01-11', 800, '2026-03-10']]);
  assert.deepEqual(await nextOf(customer, id), [699, [800, '2026-03-10']]);
  await restarted.passes('2026-02-10T00:00:00Z', '2026-02-20T00:00:00Z');
  assert.deepEqual(await nextOf(customer, id), [800, [800, '2026-03-10']]);
  await restarted.passes('2026-03-10T00:00:00Z');
  assert.deepEqual(await nextOf(customer, id), [800, null]);
  await restarted.passes('2026-04-10T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [699n, 800n, 800n]);
  assert.equal((await noticesOf(customer, id)).length, 1);
  const [notice] = await toldOf(customer, id, 'billing.price_change');
  assert.deepEqual(notice!.metadata, {
    from_at: '2026-03-10T00:00:00.000Z',
    old_price_monthly_minor: 699,
    price_monthly_minor: 800,
    currency: 'EUR',
  });
  assert.match(notice!.message, /8\.00 EUR per month instead of 6\.99 EUR/);
  await assertInvariants(fixture.db);
});

test('without a notice the old price applies; a lower one applies at once', async (t) => {
  const { fixture, customer, catalog, plan, node } = await owner(t);
  const id = await buyVm(fixture, customer);
  catalog.price_notice_days = 30;
  plan.price_monthly = '8.00';
  // The service was down until the morning of the first renewal, and again until that of the second.
  await comes(fixture, '2026-02-10T00:00:00Z');
  await comes(fixture, '2026-03-10T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [699n, 699n]);
  assert.deepEqual(await nextOf(customer, id), [800, [800, '2026-04-10']]);
  plan.price_monthly = '5.00';
  assert.deepEqual(await nextOf(customer, id), [500, [500, '2026-04-10']]);
  await node.passes('2026-04-10T00:00:00Z');
  assert.deepEqual(await noticesOf(customer, id), []);
  // A rise back to the earlier price is still a rise.
  plan.price_monthly = '6.99';
  await nodeOf(fixture).passes('2026-04-11T00:00:00Z');
  assert.deepEqual(await noticesOf(customer, id), [['2026-04-11', 699, '2026-06-10']]);
  for (const day of ['2026-05-10', '2026-06-10']) await comes(fixture, `${day}T00:00:00Z`);
  assert.deepEqual((await renewalsOf(fixture, id)).slice(2), [500n, 500n, 699n]);
});

test('a withdrawn notice costs nothing, nor does one of another price', async (t) => {
  const { fixture, customer, catalog, plan, node } = await owner(t);
  const id = await buyVm(fixture, customer);
  catalog.price_notice_days = 10;
  plan.price_monthly = '8.00';
  await node.passes('2026-01-12T00:00:00Z');
  assert.deepEqual(await nextOf(customer, id), [800, [800, '2026-02-10']]);
  plan.price_monthly = '6.99';
  await nodeOf(fixture).passes('2026-01-13T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).price_notice_minor, null);
  assert.deepEqual(await nextOf(customer, id), [699, null]);
  plan.price_monthly = '9.00';
  const restarted = nodeOf(fixture);
  await restarted.passes('2026-02-01T00:00:00Z', '2026-02-10T00:00:00Z', '2026-03-10T00:00:00Z');
  assert.deepEqual(await noticesOf(customer, id), [
    ['2026-01-12', 800, '2026-02-10'],
    ['2026-02-01', 900, '2026-03-10'],
  ]);
  assert.deepEqual(await renewalsOf(fixture, id), [699n, 900n]);
});

test('each of two rises has its notice in advance', async (t) => {
  const { fixture, customer, catalog, plan, node } = await owner(t);
  const id = await buyVm(fixture, customer);
  catalog.price_notice_days = 14;
  plan.prices = [
    { valid_from: '2026-02-01', price_monthly: '8.00' },
    { valid_from: '2026-03-01', price_monthly: '9.00' },
  ];
  for (let day = 0; day < 80; day++) await node.passes(new Date(Date.UTC(2026, 0, 11 + day)).toISOString());
  assert.deepEqual(await noticesOf(customer, id), [
    ['2026-01-11', 800, '2026-02-10'],
    // The month after next is announced two weeks before it begins; the first rise has not taken effect yet.
    ['2026-02-10', 900, '2026-03-10'],
  ]);
  assert.deepEqual(await renewalsOf(fixture, id), [800n, 900n]);
});

test('a VM that was switched off starts over at today’s price, after a grace at the old one', async (t) => {
  const { fixture, customer, catalog, plan, node } = await owner(t, 700n);
  const id = await buyVm(fixture, customer);
  catalog.price_notice_days = 60;
  await node.passes('2026-02-10T00:00:00Z', '2026-02-13T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  plan.price_monthly = '8.00';
  // 3 of February's 28 days at 6.99, and a month.
  assert.equal((await billingOf(customer, id)).next_charge_minor, 75 + 800);
  await customer.topUp(874n);
  await node.passes('2026-02-14T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [75n + 800n]);
  assert.equal((await billingOf(customer, id)).price_monthly_minor, 800);
  await assertInvariants(fixture.db);
});

test('months that are paid late cost the price of each', async (t) => {
  const { fixture, customer, plan } = await owner(t);
  const id = await buyVm(fixture, customer);
  plan.prices = [{ valid_from: '2026-03-01', price_monthly: '8.00' }];
  fixture.installation.services.clock.set(new Date('2026-03-20T00:00:00Z'));
  const { overdue_minor } = await get(customer, '/v1/billing/summary');
  assert.equal(overdue_minor, 699 + 800);
  await comes(fixture, '2026-03-20T00:00:00Z');
  assert.deepEqual((await renewalsOf(fixture, id)).toSorted(), [699n, 800n]);
  assert.equal((await vmOf(fixture, id)).price_monthly_minor, 800n);
});

test('the VMs of a retired plan end with their periods, announced ahead, unless the plan is changed', async (t) => {
  const { fixture, customer, plan, node } = await owner(t);
  const [id, other] = [await buyVm(fixture, customer), await buyVm(fixture, customer)];
  plan.deprecated = true;
  plan.retires_on = '2026-03-01';
  await node.passes('2026-01-11T00:00:00Z', '2026-02-10T00:00:00Z');
  const [told] = await toldOf(customer, id, 'billing.plan_retires');
  assert.deepEqual(told!.metadata, { plan: 's2', retires_at: '2026-03-10T00:00:00.000Z' });
  assert.equal((await billingOf(customer, id)).retires_at, '2026-03-10T00:00:00.000Z');
  await node.passes('2026-03-03T00:00:00Z', '2026-03-07T00:00:00Z', '2026-03-09T00:00:00Z');
  const days = (await toldOf(customer, id, 'billing.plan_retires')).map(({ metadata }) => metadata.days);
  assert.deepEqual(days, [undefined, 7, 3, 1]);
  const { next_charge_at, next_charge_minor, next_price } = await billingOf(customer, id);
  assert.deepEqual([next_charge_at, next_charge_minor, next_price], [null, null, null]);
  const body = { plan: 's4', allow_reboot: true };
  await customer.must({ method: 'POST', path: `/v1/vm/${other}/change-plan`, body });
  await fixture.finish();
  assert.equal((await billingOf(customer, other)).retires_at, null);
  await node.passes('2026-03-10T00:00:00Z');
  assert.deepEqual(await eventsOf(fixture, id, '2026-03-10T00:00:00Z'), ['billing.ended', 'vm.suspended']);
  assert.deepEqual(
    [await renewalsOf(fixture, id), await renewalsOf(fixture, other)],
    [[699n], [699n, 1299n]],
  );
  const start = await customer.call({ method: 'POST', path: `/v1/vm/${id}/start` });
  assert.match(start.error!.message, /its plan is retired/);
  const { overdue_minor } = await get(customer, '/v1/billing/summary');
  assert.equal(overdue_minor, 0);
  // The operator postpones the retirement.
  plan.retires_on = '2026-05-01';
  await nodeOf(fixture).passes('2026-03-12T00:00:00Z', '2026-03-12T00:00:01Z');
  assert.deepEqual([await powerOf(fixture, id), (await renewalsOf(fixture, id)).length], ['running', 2]);
  await assertInvariants(fixture.db);
});

test('no VM ends with its plan without a week of notice', async (t) => {
  const { fixture, customer, plan, node } = await owner(t);
  const id = await buyVm(fixture, customer);
  await node.passes('2026-02-04T00:00:00Z');
  plan.retires_on = '2026-02-05';
  const restarted = nodeOf(fixture);
  await restarted.passes('2026-02-04T00:00:01Z', '2026-02-10T00:00:00Z', '2026-02-20T00:00:00Z');
  const told = await toldOf(customer, id, 'billing.plan_retires');
  assert.deepEqual(
    told.map(({ metadata }) => metadata.retires_at),
    ['2026-03-10T00:00:00.000Z'],
  );
  assert.equal((await vmOf(fixture, id)).status, 'running');
  const body = { plan: 's2', template: 'debian-12', hostname: 'late', password: 'correct-horse-battery' };
  assert.equal((await customer.call({ method: 'POST', path: '/v1/vm', body })).error?.code, 'unknown_plan');
  await restarted.passes('2026-03-10T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
});

test('a VM whose renewal is turned on gets the notice that the others got', async (t) => {
  const { fixture, customer, catalog, plan, node } = await owner(t);
  catalog.price_notice_days = 10;
  const id = await buyVm(fixture, customer);
  const renew = (auto_renew: boolean) =>
    customer.must({ method: 'PATCH', path: `/v1/vm/${id}`, body: { auto_renew } });
  // The prices of the month from 10 February on were checked, and the catalog is edited while no notice is due.
  await node.passes('2026-01-11T00:00:00Z');
  await renew(false);
  plan.price_monthly = '8.00';
  plan.retires_on = '2026-03-01';
  const restarted = nodeOf(fixture);
  await restarted.passes('2026-01-12T00:00:00Z');
  await renew(true);
  await restarted.passes('2026-01-13T00:00:00Z');
  assert.deepEqual(await noticesOf(customer, id), [['2026-01-13', 800, '2026-02-10']]);
  assert.equal((await billingOf(customer, id)).retires_at, '2026-03-10T00:00:00.000Z');
  await restarted.passes('2026-02-10T00:00:00Z', '2026-03-10T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [800n]);
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  await assertInvariants(fixture.db);
});
