import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eInvoice } from '../../server/documents/e-invoice.ts';
import { obstacleTo } from '../../server/documents/obstacle.ts';
import { allotBases, taxesOnBase } from '../../server/domain/billing/document-figures.ts';
import type { InvoiceDocument, Party } from '../../server/domain/billing/invoice-document.ts';
import { sum } from '../../server/domain/billing/money.ts';
import { COUNTRY_NAMES } from '../../server/domain/tax/country-names.ts';
import type { TaxCategory } from '../../server/domain/tax/tax.ts';
import { depth } from '../support/depth.ts';
import {
  BUYER,
  EXEMPT,
  OUTSIDE_SCOPE,
  REVERSE_CHARGE,
  SELLER,
  sample,
  ZERO_RATED,
} from './support/samples.ts';

const SEED = Number(process.env.DOCUMENTS_SEED ?? 1);
const RUNS = Number(process.env.DOCUMENTS_RUNS ?? depth(150, 3_000));

interface Sold {
  category: TaxCategory;
  tax_rate: string;
  reason: string | null;
  amount_minor: bigint;
}

/**
 * Rates such as 0.19, 0.08875 or 0.999999. BR-CO-17 treats a rate below half a per cent as zero, with which no tax is
 * allowed: a document at such a rate would be held.
 */
const rate = fc.oneof(
  fc.constantFrom('0.19', '0.07', '0.2', '0.055', '0.25', '0.27', '0.08875'),
  fc
    .integer({ min: 5_000, max: 999_999 })
    .map((micros) => `0.${String(micros).padStart(6, '0')}`.replace(/0+$/, '')),
);
const taxed = fc.oneof(
  {
    weight: 3,
    arbitrary: rate.map((tax_rate) => ({ category: 'standard' as const, tax_rate, reason: null })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(REVERSE_CHARGE, EXEMPT, ZERO_RATED, OUTSIDE_SCOPE)
      .map(({ category, reason }) => ({ category, tax_rate: '0', reason })),
  },
);
/** A few kinds of tax in one document, with many lines of each, mostly of the same price. */
const lines: fc.Arbitrary<Sold[]> = fc
  .tuple(
    fc.array(taxed, { minLength: 1, maxLength: 4 }),
    fc.array(fc.bigInt(1n, 10_000n), { minLength: 1, maxLength: 4 }),
    fc.integer({ min: 1, max: depth(120, 1_500) }),
    fc.array(fc.tuple(fc.nat(), fc.bigInt(-10_000n, 10_000_000n)), { maxLength: 20 }),
  )
  .map(([taxes, prices, count, others]) => [
    ...Array.from({ length: count }, (_, index) => ({
      ...taxes[index % taxes.length]!,
      amount_minor: prices[index % prices.length]!,
    })),
    ...others.map(([index, amount_minor]) => ({ ...taxes[index % taxes.length]!, amount_minor })),
  ]);
const buyer = fc
  .constantFrom(...Object.keys(COUNTRY_NAMES).filter((code) => code !== 'SS'))
  .map((country): Party => ({ ...BUYER, country }));
const seller = fc.constantFrom<Party>(SELLER, { ...SELLER, vat_id: null, tax_number: '214/5678/0123' });

function documentOf(sold: Sold[], change: Partial<InvoiceDocument>): InvoiceDocument {
  const taxes = taxesOnBase(sold);
  const { lines: models } = sample(sold.map(({ amount_minor }) => [amount_minor, ZERO_RATED]));
  const figured = allotBases(sold, taxes);
  const [net_minor, tax_minor] = [
    sum(taxes.map((tax) => tax.net_minor)),
    sum(taxes.map((tax) => tax.tax_minor)),
  ];
  return sample([], {
    ...change,
    lines: figured.map(({ category, tax_rate, net_minor, tax_minor }, index) => ({
      ...models[index]!,
      ...{ category, tax_rate, net_minor, tax_minor },
    })),
    ...{ taxes, net_minor, tax_minor, total_minor: net_minor + tax_minor },
  });
}

test(`any sales at any rate and in any currency break no rule (seed ${SEED})`, () => {
  const currency = fc.constantFrom('EUR', 'USD', 'HUF', 'JPY', 'ISK');
  const type = fc.constantFrom('invoice' as const, 'credit_note' as const);
  fc.assert(
    fc.property(lines, buyer, seller, currency, type, (sold, buyer, seller, currency, type) => {
      const document = documentOf(sold, { buyer, seller, currency, type });
      assert.equal(obstacleTo(document), undefined);
      // The amount paid is the amount charged.
      assert.equal(document.total_minor, sum(sold.map(({ amount_minor }) => amount_minor)));
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

test('and the schema of the profile holds', async () => {
  await fc.assert(
    fc.asyncProperty(lines, buyer, fc.constantFrom('EUR', 'JPY'), async (sold, buyer, currency) => {
      assert.match(await eInvoice(documentOf(sold, { buyer, currency })), /CrossIndustryInvoice/);
    }),
    { numRuns: depth(8, 200), seed: SEED },
  );
});

test('in yen, in which two lines were enough to break a rule, none is broken', () => {
  const old = sample(
    [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n].flatMap((n) => [
      [n * 3n, { category: 'standard', rate: '0.19', reason: null }],
      [n * 3n, { category: 'standard', rate: '0.19', reason: null }],
    ]),
    { currency: 'JPY' },
  );
  assert.deepEqual(obstacleTo(old)?.rules, ['BR-CO-17', 'BR-S-09']);
  const sold = old.lines.map(({ category, tax_rate, net_minor, tax_minor }) => ({
    ...{ category, tax_rate, reason: null },
    amount_minor: net_minor + tax_minor,
  }));
  assert.equal(obstacleTo(documentOf(sold, { currency: 'JPY' })), undefined);
});
