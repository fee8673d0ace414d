import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Profile, validateXsd } from '@stackforge-eu/factur-x';
import fc from 'fast-check';
import { decimal, percent } from '../../server/documents/amounts.ts';
import { eInvoice } from '../../server/documents/e-invoice.ts';
import type { InvoiceDocument } from '../../server/domain/billing/invoice-document.ts';
import type { Tax } from '../../server/domain/tax/tax.ts';
import { depth } from '../support/depth.ts';
import {
  BUYER,
  EXEMPT,
  OUTSIDE_SCOPE,
  REVERSE_CHARGE,
  STANDARD,
  sample,
  ZERO_RATED,
} from './support/samples.ts';

/** Returns the texts of all elements with that name. */
const texts = (xml: string, element: string): string[] =>
  [...xml.matchAll(new RegExp(`<ram:${element}(?: [^>]*)?>([^<]*)</ram:${element}>`, 'g'))].map(
    ([, text]) => text!,
  );

/** Returns the texts of the elements with that name inside each `outer`. */
const textsIn = (xml: string, outer: string, element: string): string[] =>
  [...xml.matchAll(new RegExp(`<ram:${outer}>.*?</ram:${outer}>`, 'gs'))].flatMap(([part]) =>
    texts(part, element),
  );

const cents = (decimal: string): bigint => BigInt(decimal.replace('.', ''));
const total = (decimals: string[]): bigint => decimals.reduce((sum, text) => sum + cents(text), 0n);

const SAMPLES: Record<string, InvoiceDocument> = {
  'at a rate': sample([
    [399n, STANDARD],
    [699n, STANDARD],
  ]),
  'at rates of six decimals and with a credit': sample([
    [-350n, STANDARD],
    [699n, { ...STANDARD, rate: '0.08875' }],
  ]),
  'by reverse charge': sample([[399n, REVERSE_CHARGE]]),
  exempt: sample([[399n, EXEMPT]]),
  'at a rate of nothing': sample([[399n, ZERO_RATED]]),
  'outside of the scope': sample([[399n, OUTSIDE_SCOPE]], {
    buyer: { ...BUYER, country: 'US', vat_id: null },
  }),
  'outside of the scope in part': sample([
    [399n, OUTSIDE_SCOPE],
    [400n, STANDARD],
  ]),
  'as a credit note': sample([[399n, STANDARD]], {
    type: 'credit_note',
    corrects: ['INV-000001', 'INV-000002'],
  }),
  'in yen': sample([[399n, STANDARD]], { currency: 'JPY' }),
  'of nothing': sample([[0n, STANDARD]]),
};

for (const [what, document] of Object.entries(SAMPLES)) {
  test(`an e-invoice ${what} holds the schema of Factur-X, profile EN 16931`, async () => {
    const xml = await eInvoice(document);
    assert.deepEqual(await validateXsd(xml, Profile.EN16931), { valid: true, errors: [] });
    assert.equal(await eInvoice(document), xml, 'the same bytes');
  });
}

test('the schema is a real one: what breaks it is found', async () => {
  const xml = await eInvoice(SAMPLES['at a rate']!);
  const { valid, errors } = await validateXsd(
    xml.replaceAll('ram:CountryID', 'ram:Country'),
    Profile.EN16931,
  );
  assert.equal(valid, false);
  assert.match(errors[0]!.message, /Country/);
});

test('the statements that EN 16931 requires for each kind of tax are present', async () => {
  const reverse = await eInvoice(SAMPLES['by reverse charge']!);
  assert.deepEqual(texts(reverse, 'ExemptionReasonCode'), ['VATEX-EU-AE']);
  assert.deepEqual(texts(reverse, 'ExemptionReason'), ['Reverse charge']);
  assert.deepEqual(textsIn(reverse, 'BuyerTradeParty', 'CountryID'), ['PL']);
  assert.match(reverse, /<ram:ID schemeID="VA">PL8567346215</);
  // BR-O: an invoice outside the scope of VAT names no VAT id, and its lines no rate.
  const outside = await eInvoice(SAMPLES['outside of the scope']!);
  assert.doesNotMatch(outside, /schemeID="VA"/);
  assert.deepEqual(textsIn(outside, 'SpecifiedLineTradeSettlement', 'RateApplicablePercent'), []);
  // An invoice must not be partly outside the scope: such a line is exempt, for the same reason.
  const partly = await eInvoice(SAMPLES['outside of the scope in part']!);
  assert.deepEqual(new Set(texts(partly, 'CategoryCode')), new Set(['E', 'S']));
  const note = await eInvoice(SAMPLES['as a credit note']!);
  assert.match(note, /<ram:TypeCode>381</);
  assert.deepEqual(textsIn(note, 'InvoiceReferencedDocument', 'IssuerAssignedID'), [
    'INV-000001',
    'INV-000002',
  ]);
});

const anyTax = fc.constantFrom<Tax>(
  STANDARD,
  { ...STANDARD, rate: '0.08875' },
  { ...STANDARD, rate: '0.2' },
  REVERSE_CHARGE,
  EXEMPT,
  ZERO_RATED,
);

test('the sums of an e-invoice always agree to the cent (BR-CO-10, 13 to 17)', async () => {
  const lines = fc.array(fc.tuple(fc.bigInt(-100_000n, 10_000_000n), anyTax), {
    minLength: 1,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(lines, async (sold) => {
      const xml = await eInvoice(sample(sold));
      const header = (element: string) =>
        textsIn(xml, 'SpecifiedTradeSettlementHeaderMonetarySummation', element);
      const net = total(textsIn(xml, 'IncludedSupplyChainTradeLineItem', 'LineTotalAmount'));
      const bases = textsIn(xml, 'ApplicableTradeTax', 'BasisAmount').map(cents);
      const taxes = textsIn(xml, 'ApplicableTradeTax', 'CalculatedAmount').map(cents);
      assert.equal(total(header('LineTotalAmount')), net);
      assert.equal(total(header('TaxBasisTotalAmount')), net);
      assert.equal(
        bases.reduce((a, b) => a + b, 0n),
        net,
      );
      const tax = taxes.reduce((a, b) => a + b, 0n);
      assert.equal(total(header('TaxTotalAmount')), tax);
      assert.equal(total(header('GrandTotalAmount')), net + tax);
      assert.equal(
        total(header('GrandTotalAmount')),
        sold.reduce((sum, [amount]) => sum + amount, 0n),
      );
      assert.deepEqual(header('DuePayableAmount'), ['0.00']);
      // Tax was rounded per line; the standard's rules allow a whole unit.
      const rates = textsIn(
        xml.replace(/.*<ram:ApplicableHeaderTradeSettlement>/s, ''),
        'ApplicableTradeTax',
        'RateApplicablePercent',
      );
      for (const [index, rate] of rates.entries())
        assert.ok(Math.abs((Number(bases[index]) * Number(rate)) / 100 - Number(taxes[index])) < 100);
    }),
    { numRuns: depth(8, 40) },
  );
});

test('amounts and rates are written as decimals', () => {
  assert.deepEqual(
    [decimal(1234n, 'EUR'), decimal(-5n, 'EUR'), decimal(399n, 'JPY')],
    ['12.34', '-0.05', '399'],
  );
  assert.deepEqual(['0', '0.19', '0.2', '0.08875'].map(percent), ['0', '19', '20', '8.875']);
});
