import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VmRow } from '../../server/db/queries/vms/vms.ts';
import {
  dueThisMonth,
  nextRenewal,
  runwayDays,
  unpaidSchedule,
} from '../../server/domain/billing/overview.ts';
import { renewalConfiguration } from '../../server/domain/billing/renewal-price.ts';
import { catalogFor, type SalesCatalog } from '../../server/domain/catalog/buyer-prices.ts';
import { limitsOf } from '../../server/domain/vms/quotas.ts';
import { presentBillingSummary } from '../../server/endpoints/customer/billing/billing-summary-shape.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { newVm, catalog as shipped } from './support.ts';

const date = (text: string) => new Date(text);
const NOW = date('2026-01-20T00:00:00Z');

const catalog = catalogFor(shipped, undefined);

/** Returns the shipped catalog with another price for plan s1, or without that plan. */
function catalogWith(priceOfS1: string | undefined): SalesCatalog {
  const plans = catalog.plans
    .filter((plan) => plan.code !== 's1' || priceOfS1 !== undefined)
    .map((plan) => (plan.code === 's1' ? { ...plan, price_monthly: priceOfS1! } : plan));
  return { ...catalog, plans };
}

const vmOf = (change: Partial<VmRow> = {}) =>
  newVm(new ManualClock('2026-01-15T00:00:00Z'), 'acc_test', change);

test('a runway is in whole days of a month of thirty', () => {
  assert.equal(runwayDays(399n, 399n), 30n);
  assert.equal(runwayDays(398n, 399n), 29n);
  assert.equal(runwayDays(0n, 399n), 0n);
  assert.equal(runwayDays(399n, 0n), null);
});

test("a VM renews at today's price of its plan, with the size it has", () => {
  const vm = vmOf({ disk_gb: 15 });
  assert.deepEqual(renewalConfiguration(vm, catalogWith('4.50'), NOW), {
    plan: 's1',
    name: 'Shared S1',
    vcpu: 1,
    ram_mb: 1024,
    disk_gb: 15,
    bandwidth_gb: 10_000,
    price_monthly_minor: 450n,
    price_hourly_micros: 6_000n,
  });
});

test('a removed plan keeps the price at which it was sold', () => {
  const { name, price_monthly_minor } = renewalConfiguration(vmOf(), catalogWith(undefined), NOW);
  assert.deepEqual({ name, price_monthly_minor }, { name: 's1', price_monthly_minor: 399n });
});

test("a custom configuration renews at today's unit prices", () => {
  const vm = vmOf({ plan: null, vcpu: 2, ram_mb: 2048, disk_gb: 40, price_monthly_minor: 1n });
  // 2 × 2.20 + 2 × 1.10 + 40 × 0.045
  assert.equal(renewalConfiguration(vm, catalog, NOW).price_monthly_minor, 840n);
});

test('a VM that does not renew has no next charge', () => {
  const vm = vmOf();
  const next = { vm_id: vm.id, amount_minor: 399n, due_at: vm.billing_period_end_at };
  const now = date('2026-01-20T00:00:00Z');
  assert.deepEqual(nextRenewal(vm, catalog, now), next);
  assert.deepEqual(nextRenewal({ ...vm, status: 'provisioning', provisioned_at: null }, catalog, now), next);
  assert.equal(nextRenewal({ ...vm, status: 'error', provisioned_at: null }, catalog, now), null);
  assert.equal(nextRenewal({ ...vm, auto_renew: false }, catalog, now), null);
  assert.equal(nextRenewal({ ...vm, status: 'deleting' }, catalog, now), null);
});

test('the forecast includes everything due before the month ends, including overdue renewals', () => {
  const renewal = (due_at: string, amount_minor: bigint) => ({
    vm_id: 'vm',
    amount_minor,
    due_at: date(due_at),
  });
  const renewals = [
    renewal('2025-12-20T00:00:00Z', 1n),
    renewal('2026-01-31T23:59:59.999Z', 20n),
    renewal('2026-02-01T00:00:00Z', 300n),
  ];
  assert.equal(dueThisMonth(renewals, date('2026-01-15T00:00:00Z')), 21n);
  assert.equal(dueThisMonth(renewals, date('2026-02-01T00:00:00Z')), 321n);
});

test('an unpaid VM is switched off after 72 hours and deleted 14 days after that', () => {
  const vm = vmOf({ unpaid_since: date('2026-02-15T00:00:00Z') });
  assert.deepEqual(unpaidSchedule(vm, catalog.grace), {
    vm_id: vm.id,
    unpaid_since_at: date('2026-02-15T00:00:00Z'),
    suspends_at: date('2026-02-18T00:00:00Z'),
    suspended_at: null,
    deletes_at: date('2026-03-04T00:00:00Z'),
  });
  const suspended = { ...vm, suspended_at: date('2026-02-18T06:00:00Z') };
  const { suspends_at, deletes_at } = unpaidSchedule(suspended, catalog.grace)!;
  assert.deepEqual([suspends_at, deletes_at], [date('2026-02-18T06:00:00Z'), date('2026-03-04T06:00:00Z')]);
  assert.equal(unpaidSchedule({ ...vm, unpaid_since: null }, catalog.grace), null);
});

test('the summary adds it all up and lists the next ten charges', () => {
  const vm = vmOf();
  const now = date('2026-02-10T00:00:00Z');
  const vms = Array.from({ length: 12 }, (_, index) => ({
    ...vm,
    id: `vm_${index}`,
    billing_period_end_at: date(`2026-02-${Math.min(20 + index, 28)}T00:00:00Z`),
  }));
  const unpaid = { ...vm, id: 'vm_unpaid', unpaid_since: date('2026-02-09T00:00:00Z'), auto_renew: false };
  const wallet = {
    account_id: vm.account_id,
    currency: 'EUR',
    available_minor: 5000n,
    promo_minor: 0n,
    promo_expires_at: null,
    held_minor: 77n,
    claimed_minor: 0n,
    updated_at: now,
  };
  const summary = presentBillingSummary(
    { wallet, vms: [unpaid, ...vms], monthToDate: -50n, tenantIds: [] },
    catalog,
    now,
  );
  assert.equal(summary.month_to_date_minor, -50);
  assert.equal(summary.forecast_month_minor, 12 * 399 - 50);
  assert.equal(summary.active_vm_count, 13);
  assert.deepEqual(
    summary.next_charges.map((charge) => charge.vm_id),
    vms.slice(0, 10).map(({ id }) => id),
  );
  assert.equal(summary.overdue_minor, 0, 'what is not renewed is not to be paid');
  assert.deepEqual(
    summary.unpaid.map(({ vm_id }) => vm_id),
    ['vm_unpaid'],
  );
  assert.equal(summary.available_minor, 5000);
});

test("an account's own limits override the catalog's", () => {
  assert.deepEqual(limitsOf(catalog, { limits: {} }), catalog.limits);
  assert.deepEqual(limitsOf(catalog, { limits: { vms: 2 } }), { ...catalog.limits, vms: 2 });
});
