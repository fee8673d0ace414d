import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogFor } from '../../server/domain/catalog/buyer-prices.ts';
import { catalogFaults } from '../../server/domain/catalog/catalog-rules.ts';
import type { AddOnForSale, Catalog } from '../../server/domain/catalog/catalog-schema.ts';
import { catalogAt } from '../../server/domain/catalog/prices.ts';
import { catalog } from '../billing/support.ts';
import { profile } from '../documents/support/seller.ts';

const IPV4: AddOnForSale = {
  code: 'ipv4',
  name: 'Extra IPv4 address',
  price_monthly: '2.50',
  max_quantity: 4,
};
const later = (price_monthly: string, valid_from = '2027-01-01') => ({ valid_from, price_monthly });

function faultsOf(...add_ons: AddOnForSale[]): string[] {
  return catalogFaults({ ...catalog, add_ons }).map(({ path, reason }) => `${path.join('.')}: ${reason}`);
}

test('add-ons that cannot be charged are refused with their place', () => {
  assert.deepEqual(faultsOf(IPV4, { ...IPV4, code: 'backup' }), []);
  assert.deepEqual(faultsOf(IPV4, IPV4), ['add_ons.1.code: the code ipv4 is used twice']);
  assert.deepEqual(faultsOf({ ...IPV4, price_monthly: '2.505' }), [
    'add_ons.0.price_monthly: 2.505 is finer than the smallest unit of EUR',
  ]);
  assert.deepEqual(faultsOf({ ...IPV4, prices: [later('2.999')] }), [
    'add_ons.0.prices.0.price_monthly: 2.999 is finer than the smallest unit of EUR',
  ]);
  assert.deepEqual(faultsOf({ ...IPV4, name: 'x'.repeat(60) }), []);
  assert.deepEqual(faultsOf({ ...IPV4, prices: [later('3.00', '2027-02-30')] }), [
    'add_ons.0.prices.0.valid_from: there is no day 2027-02-30',
  ]);
});

test('all add-ons of a VM together cost less than the highest price, at each of their prices', () => {
  const most = { ...IPV4, price_monthly: '900000.00', max_quantity: 1000 };
  assert.deepEqual(faultsOf(most), []);
  const reason = 'the add-ons of one VM could cost more than 1000000000.00 EUR a month';
  assert.deepEqual(faultsOf(most, { ...most, code: 'backup' }), [`add_ons.1.max_quantity: ${reason}`]);
  assert.deepEqual(faultsOf({ ...most, prices: [later('1000000.01')] }), [
    `add_ons.0.max_quantity: ${reason}`,
  ]);
});

test('a later price of an add-on, and the net price of a business, are those of the buyer', () => {
  const sold: Catalog = {
    ...catalog,
    tax_rate: '0.19',
    tax_rates: { AT: '0.20' },
    business_prices: 'net',
    seller: { name: 'Hoster', street: 'Street 1', city: 'Cologne', country: 'DE', vat_id: 'DE136695976' },
    add_ons: [{ ...IPV4, prices: [later('5.00')] }],
  };
  const prices = (of: Catalog) => of.add_ons!.map(({ price_monthly }) => price_monthly);
  assert.deepEqual(prices(catalogAt(sold, new Date('2026-12-31T23:59:59Z'))), ['2.50']);
  assert.deepEqual(prices(catalogAt(sold, new Date('2027-01-01T00:00:00Z'))), ['5.00']);
  const business = profile({ kind: 'business', country: 'AT', vat_id: 'ATU12345675' });
  const net = catalogFor(sold, business);
  assert.deepEqual(prices(net), ['2.10']);
  assert.deepEqual(prices(catalogAt(net, new Date('2027-01-01T00:00:00Z'))), ['4.20']);
  assert.deepEqual(prices(catalogFor(sold, profile())), ['2.50']);
});
