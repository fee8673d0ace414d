import assert from 'node:assert/strict';
import { test } from 'node:test';
import { billingProfile } from '../../server/domain/tax/billing-profile.ts';
import { isCountry, isInEu } from '../../server/domain/tax/countries.ts';
import { type TaxedBuyer, type TaxRules, taxFor } from '../../server/domain/tax/tax.ts';
import { hasVatFormat, normalizeVatId } from '../../server/domain/tax/vat-id.ts';
import { ApiError } from '../../server/platform/errors.ts';

const GERMAN: TaxRules = {
  tax_rate: '0.19',
  tax_rates: { AT: '0.20', NO: '0.25' },
  seller: { country: 'DE' },
};

const consumer = (country: string): TaxedBuyer => ({
  kind: 'consumer',
  country,
  vat_id: null,
  exempt_reason: null,
});
const business = (country: string, vat_id: string | null): TaxedBuyer => ({
  kind: 'business',
  country,
  vat_id,
  exempt_reason: null,
});

/** Returns "category rate" for a sale. */
function taxed(buyer: TaxedBuyer | undefined, rules = GERMAN): string {
  const { category, rate } = taxFor(rules, buyer);
  return `${category} ${rate}`;
}

test('the place of supply decides on the rate, and a business of another EU country pays it itself', () => {
  assert.equal(taxed(undefined), 'standard 0.19');
  assert.equal(taxed(consumer('DE')), 'standard 0.19');
  assert.equal(taxed(business('DE', 'DE136695976')), 'standard 0.19');
  assert.equal(taxed(consumer('AT')), 'standard 0.20');
  assert.equal(taxed(consumer('FR')), 'standard 0.19', 'not listed: the rate of home');
  assert.equal(taxed(business('AT', null)), 'standard 0.20', 'a business without an id is a consumer');
  assert.equal(taxed(business('AT', 'ATU37675002')), 'reverse_charge 0');
  assert.equal(taxed(business('CH', null)), 'outside_scope 0');
  assert.equal(taxed(consumer('US')), 'outside_scope 0');
  assert.equal(taxed(consumer('NO')), 'standard 0.25', 'listed: the seller is registered there');
  assert.equal(taxed({ ...consumer('DE'), exempt_reason: 'Embassy' }), 'exempt 0');
});

test('every untaxed sale has a reason', () => {
  for (const buyer of [business('AT', 'ATU37675002'), consumer('US')])
    assert.match(taxFor(GERMAN, buyer).reason ?? '', /\S/);
  assert.equal(taxFor(GERMAN, { ...consumer('DE'), exempt_reason: 'Embassy' }).reason, 'Embassy');
  assert.equal(taxFor(GERMAN, consumer('DE')).reason, null);
});

test('a seller outside the EU charges tax at home and in the listed countries', () => {
  const swiss: TaxRules = { tax_rate: '0.081', tax_rates: { DE: '0.19' }, seller: { country: 'CH' } };
  assert.equal(taxed(consumer('CH'), swiss), 'standard 0.081');
  assert.equal(taxed(consumer('DE'), swiss), 'standard 0.19');
  assert.equal(taxed(business('AT', 'ATU37675002'), swiss), 'outside_scope 0');
});

test('a zero rate is zero-rated, or exempt if the seller gives a reason', () => {
  assert.equal(taxed(consumer('DE'), { tax_rate: '0' }), 'zero_rated 0');
  assert.equal(
    taxed(consumer('US'), { tax_rate: '0.20' }),
    'standard 0.20',
    'no seller: everybody is at home',
  );
  const small = { tax_rate: '0', seller: { country: 'DE', exemption_reason: '§ 19 UStG' } };
  assert.deepEqual(taxFor(small, undefined), { category: 'exempt', rate: '0', reason: '§ 19 UStG' });
});

test('the format of a VAT id is checked for each country of the EU', () => {
  const samples = (
    'ATU37675002 BE0417497106 BE1000000023 BG175074752 CY10259033P CZ25123891 DE136695976 DK13585628 EE100931558 ' +
    'EL094259216 ESB58378431 FI20774740 FR40303265045 FRK7399859412 HR33392005961 HU12892312 IE6388047V IE3628739UH ' +
    'IT00743110157 LT119511515 LT100001919017 LU26375245 LV40003521600 MT11679112 NL004495445B01 PL8567346215 ' +
    'PT501964843 RO18547290 SE556188840401 SI50223054 SK2022749619'
  ).split(' ');
  const countries = new Set(samples.map((id) => id.slice(0, 2).replace('EL', 'GR')));
  assert.equal(countries.size, 27);
  for (const id of samples) {
    const country = id.slice(0, 2).replace('EL', 'GR');
    assert.ok(isInEu(country) && isCountry(country), country);
    assert.ok(hasVatFormat(country, id), id);
    assert.ok(!hasVatFormat(country, id.slice(2)), `${id} without its prefix`);
    assert.ok(!hasVatFormat(country, `${id}000000`), `${id}, too long`);
    assert.ok(!hasVatFormat(country === 'DE' ? 'AT' : 'DE', id), `${id} of another country`);
  }
  assert.equal(normalizeVatId(' de 136.695-976 '), 'DE136695976');
});

test('a billing profile is normalized, and each wrong field is named', () => {
  const sound = {
    ...business('nl', 'nl 0044.95445 B01'),
    name: 'Example B.V.',
    street: 'Damrak 1',
    city: 'Amsterdam',
    postcode: null,
  };
  const { country, vat_id } = billingProfile(sound);
  assert.deepEqual({ country, vat_id }, { country: 'NL', vat_id: 'NL004495445B01' });
  const faults = (change: object): string[] => {
    try {
      billingProfile({ ...sound, ...change });
      return [];
    } catch (error) {
      assert.ok(error instanceof ApiError);
      return (error.details!.fields as { field: string }[]).map(({ field }) => field);
    }
  };
  assert.deepEqual(faults({ country: 'XX' }), ['country']);
  assert.deepEqual(faults({ country: 'EU' }), ['country']);
  assert.deepEqual(faults({ country: 'DE' }), ['vat_id'], 'an id of another country');
  assert.deepEqual(faults({ vat_id: 'NL123' }), ['vat_id']);
  assert.deepEqual(faults({ kind: 'consumer' }), ['vat_id']);
});
