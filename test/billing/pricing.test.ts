import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Charge,
  type Configuration,
  changeCharge,
  configurationHourly,
  customConfiguration,
  deletionCharge,
  firstPeriod,
  monthCharge,
  planConfiguration,
} from '../../server/domain/billing/pricing.ts';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { catalog } from './support.ts';

const date = (text: string) => new Date(text);
const plan = (code: string) => planConfiguration(findPlan(catalog, code)!, 'EUR');
const amounts = (charge: Charge) => charge.lines.map((line) => line.amount_minor);
const period = { startAt: date('2026-04-01T00:00:00Z'), endAt: date('2026-05-01T00:00:00Z') };
const middle = date('2026-04-16T00:00:00Z');

function priced(price_monthly_minor: bigint): Configuration {
  return { ...plan('s1'), price_monthly_minor };
}

test('a plan is sold at its price in minor units', () => {
  assert.deepEqual(plan('s1'), {
    plan: 's1',
    name: 'Shared S1',
    vcpu: 1,
    ram_mb: 1024,
    disk_gb: 20,
    bandwidth_gb: 10_000,
    price_monthly_minor: 399n,
  });
});

test('a custom configuration costs what its parts cost, rounded once', () => {
  const custom = customConfiguration({ vcpu: 3, ram_mb: 1536, disk_gb: 30 }, catalog);
  // 3 × 2.20 + 1.5 × 1.10 + 30 × 0.045 = 9.60
  assert.equal(custom.price_monthly_minor, 960n);
  assert.equal(custom.plan, null);
  assert.equal(custom.bandwidth_gb, null);
  // 2.20 + 1.10 + 10 × 0.045 = 3.75; one GB more is 3.795
  const odd = customConfiguration({ vcpu: 1, ram_mb: 1024, disk_gb: 11 }, catalog);
  assert.equal(odd.price_monthly_minor, 380n);
});

test('an hour is shown with five digits', () => {
  assert.equal(configurationHourly(399n, 'EUR'), '0.00547');
  assert.equal(configurationHourly(399n, 'JPY'), '0.54658');
});

test('a purchase is one line for the month from now', () => {
  const now = date('2026-01-31T12:00:00Z');
  assert.deepEqual(monthCharge(plan('s1'), firstPeriod(now), 'EUR'), {
    lines: [
      {
        description: 'Shared S1',
        quantity: 1,
        unit: 'month',
        unit_price: '3.99',
        amount_minor: 399n,
        from_at: now,
        to_at: date('2026-02-28T12:00:00Z'),
        proration: false,
      },
    ],
    total_minor: 399n,
  });
});

test('a change gives back the unused rest and charges the rest of the new price', () => {
  const charge = changeCharge(plan('s1'), plan('s2'), period, middle, 'EUR');
  assert.deepEqual(amounts(charge), [-199n, 350n]);
  assert.equal(charge.total_minor, 151n);
  assert.ok(charge.lines.every((line) => line.proration && line.to_at === period.endAt));
  assert.deepEqual(amounts(changeCharge(plan('s2'), plan('s1'), period, middle, 'EUR')), [-349n, 200n]);
});

test('a deletion gives back the unused rest, and nothing once the period is over', () => {
  assert.deepEqual(amounts(deletionCharge(plan('s1'), period, middle, 'EUR')), [-199n]);
  const late = deletionCharge(plan('s1'), period, date('2026-05-02T00:00:00Z'), 'EUR');
  assert.equal(late.total_minor, 0n);
  assert.equal(late.lines[0]!.from_at, period.endAt);
});

test('a currency without minor units has whole unit prices', () => {
  assert.equal(monthCharge(priced(399n), period, 'JPY').lines[0]!.unit_price, '399');
});

test('the lines of a charge add up to its total', () => {
  const price = fc.bigInt({ min: 0n, max: 10n ** 9n }).map(priced);
  const now = fc.date({ min: period.startAt, max: date('2026-05-03T00:00:00Z'), noInvalidDate: true });
  fc.assert(
    fc.property(price, price, now, (from, to, at) => {
      for (const charge of [
        changeCharge(from, to, period, at, 'EUR'),
        deletionCharge(from, period, at, 'EUR'),
      ]) {
        assert.equal(
          amounts(charge).reduce((sum, amount) => sum + amount, 0n),
          charge.total_minor,
        );
      }
    }),
  );
});

test('whatever a VM goes through in a period, what is given back was paid before', () => {
  const price = fc.bigInt({ min: 0n, max: 10n ** 6n }).map(priced);
  const step = fc.record({ to: price, seconds: fc.nat(10 * 86_400) });
  fc.assert(
    fc.property(price, fc.array(step, { maxLength: 8 }), fc.nat(40 * 86_400), (bought, steps, wait) => {
      let configuration = bought;
      let now = period.startAt;
      let paid = monthCharge(configuration, period, 'EUR').total_minor;
      for (const { to, seconds } of steps) {
        now = new Date(now.getTime() + seconds * 1000);
        paid += changeCharge(configuration, to, period, now, 'EUR').total_minor;
        configuration = to;
        assert.ok(paid >= 0n, `${paid} after a change`);
      }
      now = new Date(now.getTime() + wait * 1000);
      paid += deletionCharge(configuration, period, now, 'EUR').total_minor;
      assert.ok(paid >= 0n, `${paid} after the deletion`);
    }),
  );
});
