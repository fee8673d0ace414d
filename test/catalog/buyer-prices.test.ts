import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SHORTEST_MONTH_HOURS } from '../../server/domain/billing/metering.ts';
import { microsToMinor, parseMicros } from '../../server/domain/billing/money.ts';
import { catalogFor } from '../../server/domain/catalog/buyer-prices.ts';
import { catalogFaults } from '../../server/domain/catalog/catalog-rules.ts';
import type { Catalog } from '../../server/domain/catalog/catalog-schema.ts';
import type { TaxedBuyer } from '../../server/domain/tax/tax.ts';
import { catalog as shipped } from '../billing/support.ts';
import { depth } from '../support/depth.ts';

const seller = { name: 'S', street: 'S', city: 'S', country: 'DE', vat_id: 'DE136695976' };

/**
 * Returns the shipped catalog with plan s1 at 11.90, usage prices and later prices, at 19 % in the seller's country.
 */
function listOf(of: Partial<Catalog> = {}): Catalog {
  const [s1, ...others] = shipped.plans;
  const prices = [{ valid_from: '2027-01-01', price_monthly: '23.80', price_hourly: '0.0357' }];
  const plan = { ...s1!, price_monthly: '11.90', price_hourly: '0.0178', traffic_per_gb: '0.0119', prices };
  return {
    ...structuredClone(shipped),
    plans: [plan, ...others],
    tax_rate: '0.19',
    tax_rates: { NO: '0.25', AT: '0.20' },
    seller,
    business_prices: 'net',
    usage: { traffic_per_gb: '0.00119', snapshot_gb_month: '0.0119' },
    ...of,
  };
}

const buyer = (country: string, vat_id: string | null, of: Partial<TaxedBuyer> = {}): TaxedBuyer => ({
  ...{ kind: 'business', country, vat_id, exempt_reason: null },
  ...of,
});
const DUTCH = buyer('NL', 'NL004495445B01');
function pricesFor(list: Catalog, to: TaxedBuyer | undefined): Catalog {
  const { sold_to, ...prices } = catalogFor(list, to);
  assert.equal(sold_to.net, false);
  return prices;
}
const priceFor = (list: Catalog, to: TaxedBuyer | undefined) => catalogFor(list, to).plans[0]!.price_monthly;

test('a business with a VAT id pays the price without the tax in it, plus the tax that is due', () => {
  const list = listOf();
  const prices = [
    ['home', buyer('DE', 'DE136695976')],
    ['EU', DUTCH],
    ['outside', buyer('CH', 'CHE100155212')],
    ['listed', buyer('NO', '974760673MVA')],
    ['exempt', buyer('DE', 'DE136695976', { exempt_reason: 'Diplomatic mission' })],
  ].map(([name, to]) => [name, priceFor(list, to as TaxedBuyer)]);
  assert.deepEqual(prices, [
    ['home', '11.90'],
    ['EU', '10.00'],
    ['outside', '10.00'],
    ['listed', '12.50'],
    ['exempt', '10.00'],
  ]);
});

test('everyone else pays the price of the list', () => {
  const list = listOf();
  const others = [
    undefined,
    buyer('DE', null),
    buyer('NL', null),
    // An id of another country.
    buyer('NL', 'ATU37675002'),
    buyer('XX', 'XX1234567'),
    buyer('CH', null, { kind: 'consumer' }),
    buyer('NO', null, { kind: 'consumer' }),
    buyer('DE', null, { kind: 'consumer', exempt_reason: 'Diplomatic mission' }),
  ];
  for (const to of others) assert.deepEqual(pricesFor(list, to), list);
});

test('an id of unknown format does not buy at net prices', () => {
  const list = listOf();
  for (const id of ['AB', 'US123456789']) assert.deepEqual(pricesFor(list, buyer('US', id)), list);
  assert.equal(priceFor(list, buyer('GB', 'GB980780684')), '10.00');
});

test('an id of Northern Ireland is a British one that begins with XI', () => {
  const list = listOf();
  for (const id of ['AB', 'XI12', 'GB980780684']) assert.deepEqual(pricesFor(list, buyer('XI', id)), list);
  assert.equal(priceFor(list, buyer('XI', 'XI980780684')), '10.00');
});

test('without the setting everyone pays the price of the list', () => {
  for (const business_prices of [undefined, 'gross'] as const) {
    const list = listOf({ business_prices });
    assert.deepEqual(pricesFor(list, DUTCH), list);
  }
});

test('announced, hourly, unit and usage prices are converted too', () => {
  const { plans, custom, usage } = catalogFor(listOf(), DUTCH);
  const { price_hourly, traffic_per_gb, prices } = plans[0]!;
  // 0.0178 / 1.19 = 0.01495798…
  assert.deepEqual([price_hourly, traffic_per_gb], ['0.014958', '0.01']);
  assert.deepEqual(prices, [{ valid_from: '2027-01-01', price_monthly: '20.00', price_hourly: '0.03' }]);
  assert.deepEqual(usage, { traffic_per_gb: '0.001', snapshot_gb_month: '0.01' });
  // 2.20, 1.10 and 0.045.
  assert.deepEqual(custom.price_monthly, { vcpu: '1.848739', ram_gb: '0.92437', disk_gb: '0.037815' });
});

test('a price is rounded once and half up, and its hours still add up to the month', () => {
  const digits = { EUR: 2, JPY: 0, KWD: 3 };
  const price = fc.bigInt(1n, 10n ** 11n);
  const rate = fc.integer({ min: 0, max: 999_999 }).map((micros) => `0.${`${micros}`.padStart(6, '0')}`);
  const property = fc.property(
    fc.constantFrom('EUR', 'JPY', 'KWD'),
    price,
    rate,
    fc.bigInt(1n, 3n),
    (currency, minor, tax_rate, dearer) => {
      const exponent = digits[currency as keyof typeof digits];
      const scale = 10n ** BigInt(6 - exponent);
      const text = (micros: bigint) => `${micros / 1_000_000n}.${`${micros % 1_000_000n}`.padStart(6, '0')}`;
      const month = minor * scale;
      const hour = ((month + SHORTEST_MONTH_HOURS - 1n) / SHORTEST_MONTH_HOURS) * dearer;
      const plan = {
        ...shipped.plans[0]!,
        price_monthly: text(month),
        price_hourly: text(hour < month ? hour : month),
      };
      const list = listOf({ currency, tax_rate, plans: [plan], regions: shipped.regions });
      const net = catalogFor(list, DUTCH).plans[0]!;
      const share = 1_000_000n + parseMicros(tax_rate);
      const exact = minor * 1_000_000n;
      const charged = microsToMinor(parseMicros(net.price_monthly), currency);
      // Halves up: at most half a unit above, and less than half a unit below.
      assert.ok(2n * (charged * share - exact) <= share && 2n * (exact - charged * share) < share);
      const hours = parseMicros(net.price_hourly!) * SHORTEST_MONTH_HOURS;
      assert.ok(hours >= parseMicros(net.price_monthly));
      assert.ok(parseMicros(net.price_hourly!) <= parseMicros(net.price_monthly) || charged === 0n);
    },
  );
  fc.assert(property, { numRuns: depth(200, 5000) });
});

test('a catalog whose converted prices would be too high is refused', () => {
  const plan = { ...shipped.plans[0]!, price_monthly: '999999999', price_hourly: '1500000' };
  const list = listOf({ plans: [plan, ...shipped.plans.slice(1)] });
  assert.deepEqual(catalogFaults({ ...list, business_prices: 'gross' }), []);
  const [fault] = catalogFaults(list);
  assert.match(fault!.reason, /^1050420167\.02 is more than/);
});
