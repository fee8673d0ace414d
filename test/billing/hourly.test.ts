import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { currencyExponent } from '../../server/domain/billing/money.ts';
import {
  type Charge,
  type Configuration,
  changeCharge,
  customConfiguration,
  deletionCharge,
  hourlyText,
  monthCharge,
  planConfiguration,
  type RunningPeriod,
  recoveryCharge,
  type Terms,
} from '../../server/domain/billing/pricing.ts';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { depth } from '../support/depth.ts';
import { catalog } from './support.ts';

const date = (text: string) => new Date(text);
const amounts = (charge: Charge) => charge.lines.map((line) => line.amount_minor);
const terms: Terms = { currency: 'EUR', taxRate: '0.20' };
const month = { startAt: date('2026-04-01T00:00:00Z'), endAt: date('2026-05-01T00:00:00Z') };
const MONTH_SECONDS = 30n * 86_400n;
const after = (seconds: number) => new Date(month.startAt.getTime() + seconds * 1000);
const HOUR = 3600;

/** Returns a plan billed hourly at these prices, in minor units per month and millionths of a major unit per hour. */
function priced(name: string, price_monthly_minor: bigint, price_hourly_micros: bigint): Configuration {
  return {
    ...planConfiguration(findPlan(catalog, 's1')!, 'EUR'),
    name,
    price_monthly_minor,
    price_hourly_micros,
  };
}

const s1 = priced('S1', 399n, 6_000n);
const s2 = priced('S2', 699n, 10_500n);

/** Returns the running period of a VM after a sale. */
function running(sale: Pick<RunningPeriod, 'remainder' | 'metering'>, currency = 'EUR'): RunningPeriod {
  return { ...month, terms: { ...terms, currency }, remainder: sale.remainder, metering: sale.metering };
}

const bought = running(monthCharge(s1, month, terms, 'hourly'));

test('an hourly month is a deposit and shows the price of its hours', () => {
  const sale = monthCharge(s1, month, terms, 'hourly');
  assert.deepEqual(sale.metering, { priceMicros: 6_000n, since: month.startAt });
  assert.equal(sale.total_minor, 399n);
  const [line] = sale.lines;
  assert.deepEqual(
    [line!.unit, line!.unit_price, line!.price_hourly, line!.tax_minor],
    ['deposit', '3.99', '0.006', 0n],
  );
  assert.equal(sale.deposit, 399n);
});

test('a configuration without an hourly price is sold by the month', () => {
  const sale = monthCharge({ ...s1, price_hourly_micros: null }, month, terms, 'hourly');
  assert.equal(sale.metering, null);
  assert.equal(sale.lines[0]!.price_hourly, null);
});

test('an hourly price is shown with the decimals it needs, and never derived from a month', () => {
  assert.equal(hourlyText(6_000n, 'EUR'), '0.006');
  assert.equal(hourlyText(1_000_000n, 'EUR'), '1.00');
  assert.equal(hourlyText(2_000_000n, 'JPY'), '2');
  assert.equal(hourlyText(null, 'EUR'), null);
});

test('an hour of a custom configuration costs the sum of its parts', () => {
  const price_hourly = { vcpu: '0.0034', ram_gb: '0.0017', disk_gb: '0.00007' };
  const custom = { ...catalog.custom, price_hourly };
  const size = { vcpu: 3, ram_mb: 1536, disk_gb: 30 };
  assert.equal(customConfiguration(size, { ...catalog, custom }).price_hourly_micros, 14_850n);
  assert.equal(customConfiguration(size, catalog).price_hourly_micros, null);
});

test('a deletion refunds the month and charges the started hours', () => {
  const at = after(316 * HOUR + 1);
  const [given, hours] = deletionCharge(s1, bought, at).lines;
  assert.deepEqual(
    [given!.description, given!.amount_minor, given!.from_at, given!.to_at, given!.proration],
    ['Unused month of S1', -399n, month.startAt, month.endAt, false],
  );
  assert.deepEqual(
    [hours!.description, hours!.quantity, hours!.unit, hours!.unit_price, hours!.amount_minor],
    ['S1, 317 hours', 317, 'hour', '0.006', 190n],
  );
  assert.deepEqual([hours!.from_at, hours!.to_at, hours!.proration], [month.startAt, at, false]);
});

test('hours are charged from the start, up to the monthly price', () => {
  const hours = (seconds: number) => amounts(deletionCharge(s1, bought, after(seconds)))[1];
  assert.deepEqual([0, 1, HOUR, HOUR + 1].map(hours), [0n, 1n, 1n, 1n]);
  // 664 hours are 3.984, which is 3.98; 665 are 3.99.
  assert.deepEqual([663 * HOUR, 664 * HOUR, 664 * HOUR + 1, 700 * HOUR].map(hours), [398n, 398n, 399n, 399n]);
  assert.equal(deletionCharge(s1, bought, after(31 * 24 * HOUR)).total_minor, 0n);
});

test('a change charges the hours so far to the second and pays the rest of the month in advance', () => {
  const sale = changeCharge(s1, s2, bought, after(100 * HOUR + 1800), terms);
  // 100.5 hours at 0.6 cents are 60.3; 619.5 of 720 hours of 699 are 601.43; 399 was paid: 262.73 is the net.
  assert.deepEqual(amounts(sale), [-399n, 61n, 601n]);
  assert.equal(sale.total_minor, 263n);
  assert.deepEqual(sale.metering, { priceMicros: 10_500n, since: after(100 * HOUR + 1800) });
  assert.deepEqual(
    sale.lines.map(({ description, unit, price_hourly }) => [description, unit, price_hourly ?? null]),
    [
      ['Unused month of S1', 'month', null],
      ['Used time on S1', 'hour', null],
      ['Remaining time on S2', 'month', '0.0105'],
    ],
  );
});

test('a clock that was set back has used nothing', () => {
  const back = new Date(month.startAt.getTime() - 300_000);
  assert.deepEqual(amounts(deletionCharge(s1, bought, back)), [-399n, 0n]);
  const later = running(changeCharge(s1, s2, bought, after(HOUR), terms));
  const { lines } = deletionCharge(s2, later, after(HOUR - 300));
  assert.ok(lines.every(({ from_at, to_at }) => from_at <= to_at));
  assert.equal(lines[1]!.amount_minor, 0n);
});

test('a change on a node whose clock is behind counts no hour twice', () => {
  const at = after(100 * HOUR);
  const dear = priced('S3', 6_990_000n, 105_000_000n);
  const changed = running(changeCharge(s1, dear, bought, at, terms));
  const again = (clock: Date) => changeCharge(dear, s2, changed, clock, terms);
  assert.deepEqual(again(after(100 * HOUR - 300)), again(at));
  assert.deepEqual(again(after(100 * HOUR - 300)).metering!.since, at);
  const early = new Date(month.startAt.getTime() - 300_000);
  assert.deepEqual(changeCharge(s1, s2, bought, early, terms).metering!.since, month.startAt);
});

test('a refund keeps the tax rate of its sale, also for hours', () => {
  const sold = { ...bought, terms: { ...terms, taxRate: '0.16' } };
  const rates = (charge: Charge) => charge.lines.map((line) => line.tax_rate);
  assert.deepEqual(rates(changeCharge(s1, s2, sold, after(HOUR), terms)), ['0.16', '0.16', '0.2']);
  assert.deepEqual(rates(deletionCharge(s1, sold, after(HOUR))), ['0.16', '0.16']);
});

test('the grace of a VM that was billed by the hour is charged to the second', () => {
  const grace = { inGrace: s1, unpaid: month, usedUntil: after(72 * HOUR + 1800), mode: 'hourly' as const };
  const next = { startAt: after(80 * HOUR), endAt: after(800 * HOUR) };
  const sale = recoveryCharge(s1, next, grace, terms, 'hourly');
  const [used, fresh] = sale.lines;
  // 72.5 hours at 0.6 cents are 43.5.
  assert.deepEqual([used!.description, used!.unit, used!.amount_minor], ['Grace on S1', 'hour', 44n]);
  assert.equal(fresh!.amount_minor, 399n);
  assert.deepEqual(sale.metering, { priceMicros: 6_000n, since: next.startAt });
  const byTheMonth = recoveryCharge(s1, next, { ...grace, mode: 'monthly' }, terms);
  // 72.5 of 720 hours of 399 are 40.18.
  assert.deepEqual(amounts(byTheMonth), [40n, 399n]);
  assert.equal(byTheMonth.metering, null);
});

// The same rule again, in fractions: the used part of a share of a month since it was paid for.
interface Fraction {
  over: bigint;
  under: bigint;
}
const plus = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.under + b.over * a.under,
  under: a.under * b.under,
});
const least = (a: Fraction, b: Fraction): Fraction => (a.over * b.under <= b.over * a.under ? a : b);
/** Rounds a non-negative fraction, halves up. */
const rounded = ({ over, under }: Fraction): bigint => (2n * over + under) / (2n * under);
const isWithinHalf = ({ over, under }: Fraction, of: bigint) => {
  const off = over - of * under;
  return 2n * off <= under && -2n * off <= under;
};
const shareOf = (minor: bigint, seconds: bigint): Fraction => ({
  over: minor * seconds,
  under: MONTH_SECONDS,
});

function hoursFor(micros: bigint, seconds: bigint, currency = 'EUR'): Fraction {
  return { over: micros * seconds * 10n ** BigInt(currencyExponent(currency)), under: 3_600_000_000n };
}

test('ten thousand hourly changes add up to the exact price, give or take half a unit', () => {
  const seconds = fc.array(fc.integer({ min: 1, max: 259 }), { minLength: 10_000, maxLength: 10_000 });
  const currency = fc.constantFrom('EUR', 'JPY', 'KWD');
  fc.assert(
    fc.property(seconds, currency, (waits, of) => {
      const inTerms = { ...terms, currency: of };
      let [from, to] = [s1, s2];
      let period = running(monthCharge(from, month, inTerms, 'hourly'), of);
      let charged = from.price_monthly_minor;
      let at = 0;
      // All cap shares have the same denominator here, so usage is summed per denominator.
      let used = 0n;
      for (const wait of waits) {
        const rest = MONTH_SECONDS - BigInt(at);
        at += wait;
        const hours = hoursFor(from.price_hourly_micros!, BigInt(wait), of);
        const part = least(hours, shareOf(from.price_monthly_minor, rest));
        used += part.over * (part.under === MONTH_SECONDS ? 3_600_000_000n : MONTH_SECONDS);
        const sale = changeCharge(from, to, period, after(at), inTerms);
        charged += sale.total_minor;
        const open = to.price_monthly_minor * (MONTH_SECONDS - BigInt(at)) * 3_600_000_000n;
        const exact = { over: used + open, under: MONTH_SECONDS * 3_600_000_000n };
        assert.ok(isWithinHalf(exact, charged), `${charged} after ${at} seconds`);
        period = running(sale, of);
        [from, to] = [to, from];
      }
      const started = BigInt(Math.ceil(1234 / HOUR) * HOUR);
      const last = least(
        hoursFor(from.price_hourly_micros!, started, of),
        shareOf(from.price_monthly_minor, MONTH_SECONDS - BigInt(at)),
      );
      charged += deletionCharge(from, period, after(at + 1234)).total_minor;
      const all = plus({ over: used, under: MONTH_SECONDS * 3_600_000_000n }, last);
      assert.ok(isWithinHalf(all, charged), `${charged} in the end`);
    }),
    { numRuns: depth(2, 6) },
  );
});

/** Prices that a catalog may have: an hour costs at least a 672nd of the month and at most the whole month. */
const sold = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 7n }), fc.bigInt({ min: 0n, max: 10n ** 6n }))
  .map(([minor, more]) => {
    const month = minor * 10_000n;
    const hour = (month + 671n) / 672n + more;
    return priced('some', minor, hour < month ? hour : month);
  });
const steps = fc.array(fc.record({ to: sold, seconds: fc.nat(9 * 86_400) }), { maxLength: 6 });

test('a VM pays for its usage, rounded half up, and is never refunded more than it paid', () => {
  fc.assert(
    fc.property(sold, steps, fc.nat(12 * 86_400), (first, changes, wait) => {
      let [configuration, at] = [first, 0];
      let period = running(monthCharge(first, month, terms, 'hourly'));
      let paid = first.price_monthly_minor;
      let used: Fraction = { over: 0n, under: 1n };
      const use = (seconds: number, hours: number) => {
        const rest = shareOf(configuration.price_monthly_minor, MONTH_SECONDS - BigInt(at));
        const isOver = BigInt(at + seconds) >= MONTH_SECONDS;
        const cost = isOver ? rest : least(hoursFor(configuration.price_hourly_micros!, BigInt(hours)), rest);
        used = plus(used, cost);
        at += seconds;
      };
      for (const { to, seconds } of changes) {
        if (BigInt(at + seconds) >= MONTH_SECONDS) break;
        use(seconds, seconds);
        const sale = changeCharge(configuration, to, period, after(at), terms);
        const lines = amounts(sale);
        assert.ok(lines[0]! <= 0n && lines[1]! >= 0n && lines[2]! >= 0n, `${lines}`);
        assert.ok(-lines[0]! >= lines[1]!, 'hours cost no more than what was paid for them');
        paid += sale.total_minor;
        assert.ok(paid >= 0n, `${paid} after a change`);
        [configuration, period] = [to, running(sale)];
      }
      use(wait, Math.ceil(wait / HOUR) * HOUR);
      const given = deletionCharge(configuration, period, after(at));
      const [back, hours] = amounts(given);
      assert.ok(back! <= 0n && hours! >= 0n && given.total_minor <= 0n, `${back} and ${hours}`);
      paid += given.total_minor;
      assert.ok(paid >= 0n, `${paid} after the deletion`);
      // The seller keeps the leftover of earlier changes only if nothing is refunded.
      if (given.total_minor < 0n) assert.equal(paid, rounded(used));
      else assert.ok(paid - rounded(used) <= 1n && rounded(used) - paid <= 1n);
    }),
    { numRuns: depth(300, 2_000) },
  );
});

test('changing back and forth makes no part of a month cheaper', () => {
  const seconds = fc
    .tuple(fc.nat(30 * 86_400), fc.nat(30 * 86_400))
    .map(([a, b]) => (a < b ? [a, b] : [b, a]));
  fc.assert(
    fc.property(sold, seconds, fc.nat(2 * 86_400), (plan, [first, second], wait) => {
      const total = (changes: number[], end: number) => {
        let period = running(monthCharge(plan, month, terms, 'hourly'));
        let paid = plan.price_monthly_minor;
        for (const at of changes) {
          const sale = changeCharge(plan, plan, period, after(at), terms);
          paid += sale.total_minor;
          period = running(sale);
        }
        return paid + deletionCharge(plan, period, after(end)).total_minor;
      };
      // The deletion falls on a full hour since the last change, because started hours count from there.
      const end = second! + Math.floor(wait / HOUR) * HOUR;
      const whole = Math.floor(end / HOUR) * HOUR;
      assert.ok(total([first!, second!], end) >= total([], whole) - 1n);
    }),
    { numRuns: depth(300, 2_000) },
  );
});

test('the refund of a deletion never grows with time', () => {
  fc.assert(
    fc.property(sold, fc.nat(40 * 86_400), fc.nat(10 ** 6), (plan, at, later) => {
      const period = running(monthCharge(plan, month, terms, 'hourly'));
      const back = (seconds: number) => -deletionCharge(plan, period, after(seconds)).total_minor;
      assert.ok(back(at) >= 0n && back(at) <= plan.price_monthly_minor && back(at + later) <= back(at));
      assert.equal(back(0), plan.price_monthly_minor);
    }),
  );
});
