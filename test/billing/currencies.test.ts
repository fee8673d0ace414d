import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money as cliMoney } from '../../cli/src/output/values.ts';
import { minorText, priceText } from '../../panel/src/money.ts';
import { customMonthlyMinor } from '../../panel/src/pages/machines/prices.ts';
import { exampleAmount, parseMoney } from '../../panel/src/typed-money.ts';
import { minorToText } from '../../sdk/src/index.ts';
import { decimal } from '../../server/documents/amounts.ts';
import { amountToMinor } from '../../server/domain/accounts/book-payment.ts';
import { formatMinor, microsToMinor, minorToMicros, parseMicros } from '../../server/domain/billing/money.ts';
import { money as mailMoney } from '../../server/mail/content.ts';
import {
  currencies,
  currencyExponent,
  decimalsOf,
  isCurrency,
  minorToDecimal,
} from '../../shared/currencies.ts';
import { money as operatorMoney } from '../../vaubanctl/output.ts';

/** From ISO 4217, not from the runtime: ICU 78 says 0 for HUF, COP, IDR, PKR, MGA and IQD. */
const DIGITS = {
  EUR: 2,
  HUF: 2,
  COP: 2,
  IDR: 2,
  PKR: 2,
  MGA: 2,
  JPY: 0,
  ISK: 0,
  UGX: 0,
  KWD: 3,
  IQD: 3,
  CLF: 4,
};

test('a currency has the decimals of ISO 4217, regardless of the runtime', () => {
  for (const [currency, digits] of Object.entries(DIGITS)) assert.equal(currencyExponent(currency), digits);
  const all = [...currencies()];
  assert.equal(all.length, 165 + 6);
  assert.ok(all.every((code) => /^[A-Z]{3}$/.test(code) && decimalsOf(code) === currencyExponent(code)));
  const counts = [0, 1, 2, 3, 4].map((digits) => all.filter((code) => decimalsOf(code) === digits).length);
  assert.deepEqual(counts, [17, 0, 139 + 6, 7, 2]);
  for (const code of ['XXX', 'XAU', 'EU', 'eur', '', 'toString', '__proto__']) {
    assert.equal(isCurrency(code), false);
    assert.throws(() => currencyExponent(code), RangeError);
  }
});

test('an amount is written exactly, of either sign and any size', () => {
  const cases: [number | bigint, string, string][] = [
    [0, 'EUR', '0.00'],
    [5, 'EUR', '0.05'],
    [-5, 'EUR', '-0.05'],
    [-1250n, 'EUR', '-12.50'],
    [1250, 'JPY', '1250'],
    [10_500, 'KWD', '10.500'],
    [-1, 'KWD', '-0.001'],
    [900_719_925_474_099_1n, 'HUF', '90071992547409.91'],
  ];
  for (const [minor, currency, text] of cases) assert.equal(minorToDecimal(minor, currency), text);
});

/** 1,234,567 minor units in major units, plain and as German and English readers write them. */
const WRITTEN: Record<string, { plain: string; german: string; english: string }> = {
  EUR: { plain: '12345.67', german: '12.345,67 €', english: '€12,345.67' },
  JPY: { plain: '1234567', german: '1.234.567 ¥', english: 'JP¥1,234,567' },
  KWD: { plain: '1234.567', german: '1.234,567 KWD', english: 'KWD 1,234.567' },
  HUF: { plain: '12345.67', german: '12.345,67 HUF', english: 'HUF 12,345.67' },
};

for (const [currency, { plain, german, english }] of Object.entries(WRITTEN)) {
  test(`mails, panel, commands, SDK and documents count ${currency} like the service`, () => {
    const plainSpaces = (text: string) => text.replaceAll(/\s/g, ' ');
    const minor = 1_234_567;
    assert.equal(cliMoney(5, 'XYZ'), '5 minor units of XYZ');
    for (const text of [cliMoney, operatorMoney, minorToText].map((write) => write(minor, currency)))
      assert.equal(text, `${plain} ${currency}`);
    assert.equal(formatMinor(1_234_567n, currency), `${plain} ${currency}`);
    assert.equal(formatMinor(-1_234_567n, currency), `-${plain} ${currency}`);
    assert.equal(decimal(1_234_567n, currency), plain);
    for (const text of [mailMoney(minor, currency, 'en'), minorText(minor, currency, 'en-GB')])
      assert.equal(plainSpaces(text), english);
    for (const text of [mailMoney(minor, currency, 'de'), minorText(minor, currency, 'de-DE')])
      assert.equal(plainSpaces(text), german);
    assert.equal(amountToMinor(plain, currency), 1_234_567n);
    assert.equal(parseMoney(plain, currency), minor);
    assert.equal(microsToMinor(parseMicros(plain), currency), 1_234_567n);
    assert.equal(minorToMicros(1_234_567n, currency), parseMicros(plain));
  });
}

test('a typed amount is read in its currency, or not at all', () => {
  const cases: [string, string, number | undefined][] = [
    ['12', 'EUR', 1_200],
    ['12,5', 'EUR', 1_250],
    ['€ 12.50', 'EUR', 1_250],
    ['12.505', 'EUR', undefined],
    ['1000', 'JPY', 1_000],
    ['1000.5', 'JPY', undefined],
    ['1000.0', 'JPY', undefined],
    ['10.500', 'KWD', 10_500],
    ['10,5', 'KWD', 10_500],
    ['10.5005', 'KWD', undefined],
    ['10000', 'HUF', 1_000_000],
    ['0.1234', 'CLF', 1_234],
    ['', 'EUR', undefined],
    ['-1', 'EUR', undefined],
    ['1e3', 'EUR', undefined],
  ];
  for (const [text, currency, minor] of cases) assert.equal(parseMoney(text, currency), minor, text);
});

test('a price below the smallest unit keeps its decimals, and an example has those of its currency', () => {
  const shown = (price: string, currency: string) =>
    priceText(price, currency, 'en-GB').replaceAll(/\s/g, ' ');
  assert.deepEqual(
    [
      shown('0.0096', 'EUR'),
      shown('0.5', 'EUR'),
      shown('0.5', 'JPY'),
      shown('3', 'JPY'),
      shown('0.25', 'KWD'),
    ],
    ['€0.0096', '€0.50', 'JP¥0.5', 'JP¥3', 'KWD 0.250'],
  );
  assert.deepEqual(
    ['EUR', 'JPY', 'KWD'].map((currency) => exampleAmount(currency, ',')),
    ['12,50', '1250', '12,500'],
  );
});

test('a custom size has the same price in the panel and in the service', () => {
  const components = (['vcpu', 'ram', 'disk'] as const).map((component) => ({
    ...{ component, price_monthly: '1.25' },
  }));
  const size = { vcpu: 2, ram_mb: 2_048, disk_gb: 10 };
  const prices = ['EUR', 'HUF', 'JPY', 'KWD'].map((of) => customMonthlyMinor(size, components, of));
  assert.deepEqual(prices, [1_750, 1_750, 18, 17_500]);
});
