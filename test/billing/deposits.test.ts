import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { taxesOnBase } from '../../server/domain/billing/document-figures.ts';
import {
  type Charge,
  type Configuration,
  changeCharge,
  deletionCharge,
  monthCharge,
  planConfiguration,
  type RunningPeriod,
  type Sale,
  type Terms,
} from '../../server/domain/billing/pricing.ts';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { depth } from '../support/depth.ts';
import { catalog } from './support.ts';

const terms: Terms = { currency: 'EUR', taxRate: '0.20' };
const month = { startAt: new Date('2026-04-01T00:00:00Z'), endAt: new Date('2026-05-01T00:00:00Z') };
const HOUR = 3600;
const after = (seconds: number) => new Date(month.startAt.getTime() + seconds * 1000);

function priced(name: string, price_monthly_minor: bigint, price_hourly_micros: bigint): Configuration {
  const plan = planConfiguration(findPlan(catalog, 's1')!, 'EUR');
  return { ...plan, name, price_monthly_minor, price_hourly_micros };
}

const s1 = priced('S1', 399n, 6_000n);
const s2 = priced('S2', 699n, 10_500n);

const held = ({ remainder, metering, deposit }: Sale, refundable: bigint | null = null): RunningPeriod => ({
  ...{ ...month, terms, remainder, metering, deposit, refundable },
});
const bought = held(monthCharge(s1, month, terms, 'hourly'));
const lines = (charge: Charge) =>
  charge.lines.map(({ description, unit, amount_minor, tax_minor }) => [
    description,
    unit,
    amount_minor,
    tax_minor,
  ]);

test('a deletion releases the deposit and sells the hours that have begun, with their tax', () => {
  const charge = deletionCharge(s1, bought, after(316 * HOUR + 1));
  assert.deepEqual(lines(charge), [
    ['Released deposit for S1', 'deposit', -399n, 0n],
    ['S1, 317 hours', 'hour', 190n, 32n],
  ]);
  assert.equal(charge.total_minor, -209n);
});

test('a month that ends costs its price, however short it is, and releases nothing', () => {
  const charge = deletionCharge(s1, bought, month.endAt);
  assert.deepEqual(lines(charge)[1], ['S1, 720 hours', 'hour', 399n, 67n]);
  assert.equal(charge.total_minor, 0n);
});

test('unused time is never sold', () => {
  assert.deepEqual(lines(deletionCharge(s1, bought, month.startAt)), [
    ['Released deposit for S1', 'deposit', -399n, 0n],
    ['S1, 0 hours', 'hour', 0n, 0n],
  ]);
  const back = new Date(month.startAt.getTime() - 300_000);
  assert.equal(deletionCharge(s1, bought, back).total_minor, -399n);
});

test('a change sells the time until then and adapts the deposit to the rest', () => {
  const sale = changeCharge(s1, s2, bought, after(100 * HOUR + 1800), terms);
  // 100.5 hours at 0.6 cents are 60.3; 619.5 of 720 hours of 699 are 601.43.
  assert.deepEqual(lines(sale), [
    ['Released deposit for S1', 'deposit', -399n, 0n],
    ['Used time on S1', 'hour', 60n, 10n],
    ['Deposit for the remaining time on S2', 'deposit', 602n, 0n],
  ]);
  assert.deepEqual([sale.total_minor, sale.deposit], [263n, 602n]);
});

test('a period that was sold in advance ends by the old rule', () => {
  const sold = { ...bought, deposit: null };
  assert.deepEqual(
    deletionCharge(s1, sold, after(HOUR)).lines.map(({ unit, amount_minor }) => [unit, amount_minor]),
    [
      ['month', -399n],
      ['hour', 1n],
    ],
  );
  const change = changeCharge(s1, s2, sold, after(HOUR), terms);
  assert.equal(change.deposit, null);
  assert.ok(change.lines.every(({ unit }) => unit !== 'deposit'));
});

test('any number of changes sells exactly the used time, and never more than the hold', () => {
  const sizes = [s1, s2, priced('S3', 1_234_567n, 18_371_533n), priced('S4', 1n, 15n)];
  const step = fc.record({
    size: fc.constantFrom(...sizes),
    seconds: fc.integer({ min: 0, max: 9 * 86_400 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), fc.integer({ min: 0, max: 31 * 86_400 }), (steps, end) => {
      let size = s1;
      let period = bought;
      let at = 0;
      let [sold, inHold] = [0n, 399n];
      // In minor units × seconds of the month × 3600 million.
      let exact = 0n;
      const length = 30n * 86_400n;
      const book = (charge: Charge) => {
        for (const { unit, amount_minor } of charge.lines)
          if (unit === 'deposit') inHold += amount_minor;
          else sold += amount_minor;
        assert.equal(
          charge.total_minor,
          charge.lines.reduce((sum, line) => sum + line.amount_minor, 0n),
        );
      };
      const use = (seconds: bigint, rest: bigint) => {
        const hours = seconds * size.price_hourly_micros! * 100n * length;
        const most = size.price_monthly_minor * rest * 3_600_000_000n;
        exact += hours < most ? hours : most;
      };
      for (const { size: next, seconds } of steps) {
        if (at + seconds >= 30 * 86_400) break;
        use(BigInt(seconds), length - BigInt(at));
        at += seconds;
        const sale = changeCharge(size, next, period, after(at), terms);
        book(sale);
        period = held(sale);
        size = next;
        assert.equal(inHold, period.deposit);
      }
      const last = Math.min(at + end, 30 * 86_400);
      const begun = BigInt(Math.ceil((last - at) / HOUR)) * 3600n;
      const rest = length - BigInt(at);
      if (last >= 30 * 86_400) exact += size.price_monthly_minor * rest * 3_600_000_000n;
      else use(begun, rest);
      book(deletionCharge(size, period, after(last)));
      assert.equal(inHold, 0n);
      const parts = length * 3_600_000_000n;
      const difference = sold * parts - exact;
      assert.ok(2n * difference <= parts && 2n * difference >= -parts, `${difference} of ${parts}`);
    }),
    { numRuns: depth(200, 20_000) },
  );
});

test('a month that was credited releases no more than is left of it', () => {
  const credited = { ...bought, refundable: 359n };
  const charge = deletionCharge(s1, credited, after(HOUR));
  assert.deepEqual(lines(charge), [
    ['Released deposit for S1', 'deposit', -399n, 0n],
    ['S1, 1 hour', 'hour', 1n, 0n],
    ['Use that was credited before', 'adjustment', 39n, 7n],
  ]);
  assert.equal(charge.total_minor, -359n);
});

test('200 VMs of 20 minutes cost 2.00 with 0.32 of VAT at 19 %', () => {
  const rate = '0.19';
  const bill = { ...bought, terms: { ...terms, taxRate: rate } };
  const used = Array.from({ length: 200 }, () => deletionCharge(s1, bill, after(1200)).lines[1]!);
  const sold = used.map(({ amount_minor, tax_rate }) => ({
    ...{ category: 'standard' as const, tax_rate, reason: null, amount_minor },
  }));
  const taxes = taxesOnBase(sold).map(({ net_minor, tax_minor }) => [net_minor, tax_minor]);
  assert.deepEqual(taxes, [[168n, 32n]]);
});
