import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstPeriod } from '../../server/domain/billing/period.ts';
import {
  type Charge,
  type Configuration,
  changeCharge,
  customConfiguration,
  deletionCharge,
  monthCharge,
  planConfiguration,
  type RunningPeriod,
  type Terms,
} from '../../server/domain/billing/pricing.ts';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { depth } from '../support/depth.ts';
import { catalog } from './support.ts';

const date = (text: string) => new Date(text);
const plan = (code: string) => planConfiguration(findPlan(catalog, code)!, 'EUR');
const amounts = (charge: Charge) => charge.lines.map((line) => line.amount_minor);
const terms: Terms = { currency: 'EUR', taxRate: '0.20' };
const period: RunningPeriod = {
  startAt: date('2026-04-01T00:00:00Z'),
  endAt: date('2026-05-01T00:00:00Z'),
  terms,
  remainder: 0n,
};
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
    price_hourly_micros: 6_000n,
  });
});

test('a custom configuration costs what its parts cost, rounded once', () => {
  const custom = customConfiguration({ vcpu: 3, ram_mb: 1536, disk_gb: 30 }, catalog);
  // 3 × 2.20 + 1.5 × 1.10 + 30 × 0.045 = 9.60
  assert.equal(custom.price_monthly_minor, 960n);
  assert.equal(custom.plan, null);
  assert.equal(custom.bandwidth_gb, null);
  // 2.20 + 1.10 + 10 × 0.045 = 3.75; with 11 GB 3.795.
  const odd = customConfiguration({ vcpu: 1, ram_mb: 1024, disk_gb: 11 }, catalog);
  assert.equal(odd.price_monthly_minor, 380n);
});

test('a change or deletion by a clock that is behind still lies within the period', () => {
  const before = date('2026-03-31T23:58:00Z');
  const metered = { ...period, metering: { priceMicros: 6_000n, since: period.startAt } };
  for (const running of [period, metered]) {
    const change = changeCharge(plan('s1'), plan('s2'), running, before, terms);
    for (const charge of [change, deletionCharge(plan('s1'), running, before)])
      for (const { from_at, to_at } of charge.lines)
        assert.ok(from_at >= period.startAt && to_at <= period.endAt, `${from_at} to ${to_at}`);
    if (change.metering) assert.deepEqual(change.metering.since, period.startAt);
  }
});

test('a purchase is one line for the month from now', () => {
  const now = date('2026-01-31T12:00:00Z');
  assert.deepEqual(monthCharge(plan('s1'), firstPeriod(now), terms), {
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
        price_hourly: null,
        tax_rate: '0.2',
        tax_minor: 67n,
        tax_category: null,
        tax_reason: null,
      },
    ],
    total_minor: 399n,
    tax_rate: '0.2',
    remainder: 0n,
    metering: null,
    deposit: null,
  });
});

test('a change charges the net, rounded once; one line is the share of the new price, the other the rest', () => {
  const charge = changeCharge(plan('s1'), plan('s2'), period, middle, terms);
  assert.deepEqual(amounts(charge), [-200n, 350n]);
  assert.equal(charge.total_minor, 150n);
  assert.equal(charge.remainder, 0n);
  assert.ok(charge.lines.every((line) => line.proration && line.to_at === period.endAt));
  assert.deepEqual(amounts(changeCharge(plan('s2'), plan('s1'), period, middle, terms)), [-350n, 200n]);
});

test('a refund keeps the tax rate of its sale', () => {
  const sold = { ...period, terms: { ...terms, taxRate: '0.16' } };
  const rates = (charge: Charge) => charge.lines.map((line) => [line.tax_rate, line.tax_minor]);
  assert.deepEqual(rates(changeCharge(plan('s1'), plan('s2'), sold, middle, terms)), [
    ['0.16', -28n],
    ['0.2', 58n],
  ]);
  assert.deepEqual(rates(deletionCharge(plan('s1'), sold, middle)), [['0.16', -27n]]);
});

test('a tax rate may have six decimals', () => {
  const [line] = monthCharge(priced(10_000n), period, { ...terms, taxRate: '0.08875' }).lines;
  assert.deepEqual([line!.tax_rate, line!.tax_minor], ['0.08875', 815n]);
});

test('a deletion refunds the unused rest, and nothing once the period is over', () => {
  assert.deepEqual(amounts(deletionCharge(plan('s1'), period, middle)), [-199n]);
  const late = deletionCharge(plan('s1'), period, date('2026-05-02T00:00:00Z'));
  assert.equal(late.total_minor, 0n);
  assert.equal(late.lines[0]!.from_at, period.endAt);
});

test('the refund of a deletion never grows with time, and is the whole price before the period begins', () => {
  const price = fc.bigInt({ min: 0n, max: 10n ** 9n }).map(priced);
  const second = fc.integer({ min: -86_400, max: 40 * 86_400 });
  fc.assert(
    fc.property(price, second, fc.nat(10 ** 6), (configuration, at, later) => {
      const back = (seconds: number) =>
        -deletionCharge(configuration, period, new Date(period.startAt.getTime() + seconds * 1000))
          .total_minor;
      const full = configuration.price_monthly_minor;
      assert.ok(back(at) >= 0n && back(at) <= full && back(at + later) <= back(at));
      assert.equal(back(Math.min(at, 0)), full);
    }),
  );
});

test('a currency without minor units has whole unit prices', () => {
  assert.equal(monthCharge(priced(399n), period, { ...terms, currency: 'JPY' }).lines[0]!.unit_price, '399');
});

test('the lines of a charge add up to its total', () => {
  const price = fc.bigInt({ min: 0n, max: 10n ** 9n }).map(priced);
  const now = fc.date({ min: period.startAt, max: date('2026-05-03T00:00:00Z'), noInvalidDate: true });
  fc.assert(
    fc.property(price, price, now, (from, to, at) => {
      for (const charge of [changeCharge(from, to, period, at, terms), deletionCharge(from, period, at)]) {
        assert.equal(
          amounts(charge).reduce((sum, amount) => sum + amount, 0n),
          charge.total_minor,
        );
        const [first, last] = [amounts(charge)[0]!, amounts(charge)[1] ?? 0n];
        assert.ok(first <= 0n && last >= 0n, 'what is given back is no charge, and the other way round');
      }
    }),
  );
});

test('ten thousand changes back and forth gain neither side anything', () => {
  const [small, large] = [plan('s1'), plan('s2')];
  const seconds = fc.array(fc.integer({ min: 1, max: 259 }), { minLength: 10_000, maxLength: 10_000 });
  fc.assert(
    fc.property(seconds, (waits) => {
      let running = { ...period };
      let now = period.startAt;
      let [from, to] = [small, large];
      let charged = monthCharge(small, period, terms).total_minor;
      let exact = small.price_monthly_minor * 2_592_000n;
      for (const wait of waits) {
        now = new Date(now.getTime() + wait * 1000);
        const charge = changeCharge(from, to, running, now, terms);
        charged += charge.total_minor;
        const rest = BigInt((period.endAt.getTime() - now.getTime()) / 1000);
        exact += (to.price_monthly_minor - from.price_monthly_minor) * rest;
        running = { ...running, remainder: charge.remainder };
        [from, to] = [to, from];
      }
      const off = exact - charged * 2_592_000n;
      assert.ok(2n * off <= 2_592_000n && -2n * off <= 2_592_000n, `off by ${Number(off) / 2_592_000}`);
    }),
    { numRuns: depth(2, 20) },
  );
});

test('choosing the times of changes gains no more than half a unit', () => {
  // Each change happens at the second within the next two minutes at which rounding favours the customer most.
  let running = { ...period };
  let second = 0;
  let [from, to] = [plan('s1'), plan('s2')];
  let [charged, exact] = [0n, 0n];
  for (let change = 0; change < 500; change++) {
    const at = (seconds: number) => new Date(period.startAt.getTime() + seconds * 1000);
    const gain = (seconds: number) => changeCharge(from, to, running, at(seconds), terms).remainder;
    const candidates = Array.from({ length: 120 }, (_, offset) => second + offset + 1);
    second = candidates.reduce((best, other) => (gain(other) > gain(best) ? other : best));
    const charge = changeCharge(from, to, running, at(second), terms);
    charged += charge.total_minor;
    exact += (to.price_monthly_minor - from.price_monthly_minor) * BigInt(2_592_000 - second);
    running = { ...running, remainder: charge.remainder };
    [from, to] = [to, from];
  }
  assert.ok(2n * (exact - charged * 2_592_000n) <= 2_592_000n);
});

test('in any history of a VM, refunds never exceed the payments', () => {
  const price = fc.bigInt({ min: 0n, max: 10n ** 6n }).map(priced);
  const step = fc.record({ to: price, seconds: fc.nat(10 * 86_400) });
  fc.assert(
    fc.property(price, fc.array(step, { maxLength: 8 }), fc.nat(40 * 86_400), (bought, steps, wait) => {
      let configuration = bought;
      let now = period.startAt;
      let running = { ...period };
      let paid = monthCharge(configuration, period, terms).total_minor;
      for (const { to, seconds } of steps) {
        now = new Date(now.getTime() + seconds * 1000);
        const charge = changeCharge(configuration, to, running, now, terms);
        paid += charge.total_minor;
        running = { ...running, remainder: charge.remainder };
        configuration = to;
        assert.ok(paid >= 0n, `${paid} after a change`);
      }
      now = new Date(now.getTime() + wait * 1000);
      paid += deletionCharge(configuration, running, now).total_minor;
      assert.ok(paid >= 0n, `${paid} after the deletion`);
    }),
  );
});
