import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COUNTRIES } from '../../panel/src/pages/billing/countries.ts';
import { billingProfile, requireKnownCountry } from '../../server/domain/tax/billing-profile.ts';
import { eInvoiceCountry, isCountry, isInEu, notACountry } from '../../server/domain/tax/countries.ts';
import { COUNTRY_NAMES } from '../../server/domain/tax/country-names.ts';
import { type TaxedBuyer, taxFor } from '../../server/domain/tax/tax.ts';
import { hasVatFormat } from '../../server/domain/tax/vat-id.ts';
import { ApiError } from '../../server/platform/errors.ts';

/** Codes that the runtime's data has a name for but that are not countries of ISO 3166-1. */
const NONE = 'AC AN BU CP CQ CS DD DG DY EA EL EU EZ FX HV IC NH QO RH SU TA TP UK UN VD XA XB YD YU ZR ZZ';

const consumer = (country: string): TaxedBuyer => ({
  kind: 'consumer',
  country,
  vat_id: null,
  exempt_reason: null,
});
const business = (country: string, vat_id: string): TaxedBuyer => ({
  kind: 'business',
  country,
  vat_id,
  exempt_reason: null,
});
const taxed = (seller: string, buyer: TaxedBuyer, tax_rates = {}) => {
  const { category, rate } = taxFor({ tax_rate: '0.19', tax_rates, seller: { country: seller } }, buyer);
  return `${category} ${rate}`;
};

test('countries are the 249 of ISO 3166-1 and the two for Kosovo and Northern Ireland', () => {
  const codes = Object.keys(COUNTRY_NAMES);
  assert.equal(codes.length, 251);
  assert.deepEqual(codes, codes.toSorted());
  for (const code of ['DE', 'GB', 'GR', 'MC', 'SS', 'XI', 'XK']) assert.ok(isCountry(code), code);
  for (const code of NONE.split(' ')) assert.ok(!isCountry(code), code);
  for (const text of ['de', 'DEU', '', 'constructor', '__proto__']) assert.ok(!isCountry(text), text);
});

test('the panel offers the same countries', () => {
  assert.deepEqual(COUNTRIES, Object.keys(COUNTRY_NAMES));
});

test('countries never come from the runtime', () => {
  for (const file of ['countries', 'country-names', 'billing-profile', 'tax'])
    assert.doesNotMatch(readFileSync(`server/domain/tax/${file}.ts`, 'utf8'), /Intl\./);
});

test('an invalid code is refused with the one that was meant', () => {
  assert.match(notACountry('UK'), /: use GB \(United Kingdom\) instead of UK$/);
  assert.match(notACountry('el'), /: use GR \(Greece\) instead of el$/);
  assert.match(notACountry('germany'), /: use DE \(Germany\) instead of germany$/);
  assert.match(notACountry('YU'), /: use RS \(Serbia\) or ME \(Montenegro\) instead of YU$/);
  assert.match(notACountry('ZZ'), /, such as DE$/);
  const profile = { ...consumer('UK'), name: 'N', street: 'S', city: 'C', postcode: null };
  assert.throws(
    () => billingProfile(profile),
    (error) => error instanceof ApiError && /use GB/.test(JSON.stringify(error.details)),
  );
  assert.equal(billingProfile({ ...profile, country: 'xk' }).country, 'XK');
});

test('Monaco is taxed as France, the Isle of Man and Northern Ireland as the United Kingdom', () => {
  assert.ok(isInEu('MC') && isInEu('FR') && !isInEu('IM') && !isInEu('XI') && !isInEu('XK'));
  const rates = { FR: '0.20', GB: '0.20' };
  assert.equal(taxed('DE', consumer('MC'), rates), 'standard 0.20');
  assert.equal(taxed('DE', consumer('IM'), rates), 'standard 0.20');
  assert.equal(taxed('DE', consumer('XI'), rates), 'standard 0.20', 'a service, not a good');
  assert.equal(taxed('DE', consumer('XI')), 'outside_scope 0');
  assert.equal(taxed('FR', consumer('MC')), 'standard 0.19', 'at home');
  assert.equal(taxed('DE', business('MC', 'FR40303265045')), 'reverse_charge 0');
  assert.equal(taxed('FR', business('MC', 'FR40303265045')), 'standard 0.19');
  assert.ok(hasVatFormat('MC', 'FR40303265045') && !hasVatFormat('MC', 'MC40303265045'));
  assert.ok(hasVatFormat('IM', 'GB980780684') && !hasVatFormat('IM', 'IM98'));
});

test('a stored code that is invalid is taxed at home and must be corrected before the next purchase', () => {
  assert.equal(taxed('DE', consumer('YU')), 'standard 0.19');
  assert.throws(() => requireKnownCountry(consumer('YU')), { code: 'invalid_state' });
  for (const buyer of [undefined, consumer('XK')]) requireKnownCountry(buyer);
});

test('e-invoices have the codes of their own list', () => {
  assert.equal(eInvoiceCountry('XK'), '1A');
  assert.equal(eInvoiceCountry('SS'), undefined);
  assert.equal(eInvoiceCountry('UK'), undefined);
  assert.equal(eInvoiceCountry('XI'), 'XI');
});

test('a VAT id from before its country was corrected moves no tax to the buyer', () => {
  // State after the upgrade: the intended country, and the VAT id that was entered for an invalid code.
  assert.equal(taxed('DE', business('GR', 'EL094259216')), 'reverse_charge 0');
  for (const [country, id] of [
    ['GR', 'UK123'],
    ['GR', 'GR094259216'],
    ['FR', 'FX40303265045'],
  ] as const)
    assert.equal(taxed('DE', business(country, id)), 'standard 0.19', id);
  assert.equal(taxed('DE', business('GB', 'UK123')), 'outside_scope 0', 'an id decides nothing there');
});
