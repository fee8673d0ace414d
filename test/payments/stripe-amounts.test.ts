import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Catalog } from '../../server/domain/catalog/catalog-schema.ts';
import type { PaymentProvider } from '../../server/payments/provider.ts';
import { amountProblem } from '../../server/payments/start-top-up.ts';
import { fromStripe, stripeUnit, toStripe } from '../../server/payments/stripe/amounts.ts';
import { currencies, currencyExponent } from '../../shared/currencies.ts';

test('an amount that Stripe cannot charge exactly is refused before anyone is asked to pay', () => {
  const provider = { name: 'stripe', unit: stripeUnit } as PaymentProvider;
  const problem = (currency: string, minor: bigint) =>
    amountProblem({ currency, top_up: { min: '1', max: '1000' } } as Catalog, minor, provider);
  assert.equal(problem('KWD', 10_500n), undefined);
  assert.deepEqual(problem('KWD', 10_505n), {
    code: 'too_precise',
    message: 'must be a multiple of 0.010 KWD to be paid by stripe',
  });
  assert.match(problem('MGA', 10_050n)!.message, /multiple of 1\.00 MGA/);
  assert.deepEqual([problem('HUF', 10_055n), problem('JPY', 501n)], [undefined, undefined]);
});

/** From docs.stripe.com/currencies: the charged amount in major units, and the request's `amount`. */
const CHARGED: [major: string, currency: string, amount: number][] = [
  ['10.00', 'EUR', 1_000],
  ['10000.00', 'HUF', 1_000_000],
  ['10000.55', 'HUF', 1_000_055],
  ['500', 'JPY', 500],
  ['500', 'KRW', 500],
  ['5', 'ISK', 500],
  ['5', 'UGX', 500],
  ['5.120', 'KWD', 5_120],
  ['5.00', 'MGA', 5],
  ['800.00', 'TWD', 80_000],
  ['50000.00', 'IDR', 5_000_000],
];

const minorOf = (major: string) => BigInt(major.replace('.', ''));

test("an amount is converted to Stripe's count and back", () => {
  for (const [major, currency, amount] of CHARGED) {
    assert.equal(toStripe(minorOf(major), currency), amount, `${major} ${currency}`);
    assert.equal(fromStripe(amount, currency), minorOf(major), `${amount} ${currency}`);
  }
});

test('an amount that Stripe cannot charge exactly is refused, and never rounded', () => {
  for (const [minor, currency] of [
    [5_124n, 'KWD'],
    [50_001n, 'BHD'],
    [501n, 'MGA'],
  ] as const) {
    assert.ok(minor % stripeUnit(currency) !== 0n);
    assert.throws(() => toStripe(minor, currency), /Stripe/);
  }
  for (const [amount, currency] of [
    [501, 'ISK'],
    [150, 'UGX'],
    [1.5, 'EUR'],
    [-1, 'EUR'],
    ['100', 'EUR'],
    [100, 'XXX'],
    [100, ''],
  ] as const)
    assert.equal(fromStripe(amount, currency), undefined, `${amount} ${currency}`);
});

test('in every currency, a chargeable amount converts back unchanged', () => {
  for (const currency of currencies()) {
    const unit = stripeUnit(currency);
    assert.ok([1n, 10n, 100n].includes(unit), currency);
    const minor = unit * 12_345n;
    assert.equal(fromStripe(toStripe(minor, currency), currency), minor, currency);
    // The same money, not a hundred times or a hundredth of it.
    const major = Number(minor) / 10 ** currencyExponent(currency);
    const ratio = toStripe(minor, currency) / major;
    assert.ok(
      [1, 100, 1_000].some((expected) => Math.abs(ratio - expected) < 1e-6),
      `${currency}: ${ratio}`,
    );
  }
});
