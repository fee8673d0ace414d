import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  containedTax,
  currencyExponent,
  divideRoundHalfUp,
  formatMicros,
  microsToMinor,
  minorToMicros,
  parseMicros,
  toJsonInteger,
} from '../../server/domain/billing/money.ts';

const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });
const currency = fc.constantFrom('EUR', 'JPY', 'BHD');

test('a currency has as many digits as ISO 4217 says', () => {
  assert.deepEqual(['EUR', 'JPY', 'BHD', 'HUF', 'COP', 'IQD'].map(currencyExponent), [2, 0, 3, 2, 2, 3]);
});

test('a decimal is read exactly', () => {
  assert.equal(parseMicros('4.99'), 4_990_000n);
  assert.equal(parseMicros('0.000001'), 1n);
  assert.equal(parseMicros('12'), 12_000_000n);
  // A float would give 0.30000000000000004.
  assert.equal(parseMicros('0.1') + parseMicros('0.2'), parseMicros('0.3'));
});

for (const text of ['', '-1', '1.', '.5', '1.0000001', '1e3', '1,5', ' 1', 'NaN']) {
  test(`"${text}" is not a price`, () => {
    assert.throws(() => parseMicros(text), /not a price/);
  });
}

test('written values are read back unchanged', () => {
  fc.assert(fc.property(amount, (micros) => parseMicros(formatMicros(micros)) === micros));
});

test('fewer digits are rounded half up', () => {
  assert.equal(formatMicros(1_235_000n, 2), '1.24');
  assert.equal(formatMicros(1_234_999n, 2), '1.23');
  assert.equal(formatMicros(999_999n, 2), '1.00');
  assert.equal(formatMicros(500_000n, 0), '1');
  assert.equal(formatMicros(5_000n, 2), '0.01');
});

test('rounding is half away from zero, and the same for a charge and its reversal', () => {
  const cases = [1n, 2n, 3n, -1n, -2n, -3n].map((numerator) => divideRoundHalfUp(numerator, 2n));
  assert.deepEqual(cases, [1n, 1n, 2n, -1n, -1n, -2n]);
  const divisor = fc.bigInt({ min: 1n, max: 10n ** 9n });
  fc.assert(
    fc.property(amount, divisor, (numerator, denominator) => {
      const rounded = divideRoundHalfUp(numerator, denominator);
      const twiceOff = 2n * (rounded * denominator - numerator);
      assert.ok(-denominator < twiceOff && twiceOff <= denominator);
      assert.equal(divideRoundHalfUp(-numerator, denominator), -rounded);
    }),
  );
});

test('minor units survive the conversion to micros and back', () => {
  fc.assert(
    fc.property(amount, currency, (minor, code) => microsToMinor(minorToMicros(minor, code), code) === minor),
  );
  assert.equal(microsToMinor(parseMicros('4.995'), 'EUR'), 500n);
  assert.equal(microsToMinor(parseMicros('499.5'), 'JPY'), 500n);
});

test('tax is contained in the price', () => {
  assert.equal(containedTax(120n, '0.20'), 20n);
  assert.equal(containedTax(-120n, '0.20'), -20n);
  assert.equal(containedTax(399n, '0'), 0n);
  assert.equal(containedTax(100n, '0.075'), 7n);
});

test('tax computed on the net gives the contained tax, to a unit', () => {
  const rate = fc.integer({ min: 0, max: 9999 }).map((n) => `0.${n.toString().padStart(4, '0')}`);
  fc.assert(
    fc.property(amount, rate, (gross, tax) => {
      const contained = containedTax(gross, tax);
      assert.ok(contained >= 0n && contained <= gross);
      const onTop = divideRoundHalfUp((gross - contained) * parseMicros(tax), 1_000_000n);
      const off = onTop - contained;
      assert.ok(off >= -1n && off <= 1n, `${off}`);
    }),
  );
});

test("an amount beyond JSON's integers is refused, not rounded", () => {
  assert.equal(toJsonInteger(BigInt(Number.MAX_SAFE_INTEGER)), Number.MAX_SAFE_INTEGER);
  assert.equal(toJsonInteger(-399n), -399);
  assert.throws(() => toJsonInteger(BigInt(Number.MAX_SAFE_INTEGER) + 1n), /out of range/);
  assert.throws(() => toJsonInteger(BigInt(Number.MIN_SAFE_INTEGER) - 1n), /out of range/);
});
