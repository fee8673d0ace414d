import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brokenRules, RULES } from '../../server/documents/en16931/rules.ts';
import {
  type Breakdown,
  type CategoryCode,
  type EInvoiceTerms,
  eInvoiceTerms,
  type TaxedAmount,
} from '../../server/documents/en16931/terms.ts';
import { obstacleTo } from '../../server/documents/obstacle.ts';
import type { Party } from '../../server/domain/billing/invoice-document.ts';
import { COUNTRY_NAMES } from '../../server/domain/tax/country-names.ts';
import type { Tax } from '../../server/domain/tax/tax.ts';
import { depth } from '../support/depth.ts';
import {
  BUYER,
  EXEMPT,
  OUTSIDE_SCOPE,
  REVERSE_CHARGE,
  SELLER,
  STANDARD,
  sample,
  ZERO_RATED,
} from './support/samples.ts';

const KNOWN = { country: 'DE', vatId: 'DE136695976', taxNumber: null, legalId: null };
const UNKNOWN = { ...KNOWN, vatId: null };

/** The rate of each category in a valid document, and the reason if it needs one. */
const SOUND: Partial<Record<CategoryCode, { rate: bigint | null; reason: string | null }>> = {
  S: { rate: 190_000n, reason: null },
  Z: { rate: 0n, reason: null },
  E: { rate: 0n, reason: 'Exempt' },
  AE: { rate: 0n, reason: 'Reverse charge' },
  O: { rate: null, reason: 'Outside' },
};

interface Items {
  lines?: TaxedAmount[];
  allowances?: TaxedAmount[];
  charges?: TaxedAmount[];
}

/** An item of 100.00 in a category, at its rate or another. */
const item = (category: CategoryCode, rate = SOUND[category]?.rate ?? 0n): TaxedAmount => ({
  category,
  rate: category === 'O' && rate === 0n ? null : rate,
  amount: 100_00n,
});

/** Returns the breakdown group of a category on `base`, with the right tax. */
function group(category: CategoryCode, base: bigint, change: Partial<Breakdown> = {}): Breakdown {
  const rate = change.rate === undefined ? (SOUND[category]?.rate ?? 0n) : change.rate;
  const tax = (base * (rate ?? 0n)) / 1_000_000n;
  return { category, rate, base, tax, reason: SOUND[category]?.reason ?? null, reasonCode: null, ...change };
}

/** Returns a document of these parts with correct totals. */
function terms(items: Items, breakdown: Breakdown[], change: Partial<EInvoiceTerms> = {}): EInvoiceTerms {
  const { lines = [], allowances = [], charges = [] } = items;
  const sum = (amounts: TaxedAmount[]) => amounts.reduce((all, { amount }) => all + amount, 0n);
  const net = sum(lines) - sum(allowances) + sum(charges);
  const tax = breakdown.reduce((all, group) => all + group.tax, 0n);
  const isOutside = breakdown.some(({ category }) => category === 'O');
  return {
    seller: isOutside ? UNKNOWN : KNOWN,
    representativeVatId: null,
    buyer: isOutside ? UNKNOWN : KNOWN,
    ...{ lines, allowances, charges, breakdown },
    totals: {
      ...{ lines: sum(lines), allowances: sum(allowances), charges: sum(charges), net, tax },
      ...{ gross: net + tax, paid: net + tax, rounding: null, due: 0n },
    },
    ...change,
  };
}

const sold = terms({ lines: [item('S')] }, [group('S', 100_00n)]);
const withTotals = (change: Partial<EInvoiceTerms['totals']>): EInvoiceTerms => ({
  ...sold,
  totals: { ...sold.totals, ...change },
});

/** The three kinds of taxable items, with the sign of each in the base. */
const KINDS = [
  ['lines', 1n],
  ['allowances', -1n],
  ['charges', 1n],
] as const;

/** Documents that each break one of the rules that all categories have. */
function brokenOf(category: CategoryCode): Record<string, EInvoiceTerms> {
  const whole = { lines: [item(category)] };
  const only = (change: Partial<Breakdown>) => terms(whole, [group(category, 100_00n, change)]);
  const twice = [group(category, 100_00n), group(category, 100_00n)];
  // A rate that the category must not have, with the matching tax.
  const wrongRate = category === 'S' || category === 'O' ? 0n : 190_000n;
  const badItem = { category, rate: wrongRate, amount: 100_00n };
  const id = (number: number) => `BR-${category}-${String(number).padStart(2, '0')}`;
  const broken: Record<string, EInvoiceTerms> = {
    // A sale without a breakdown group has no tax either.
    [id(1)]: terms(whole, category === 'S' || category === 'O' ? [] : twice, {
      ...(category === 'O' && { seller: UNKNOWN, buyer: UNKNOWN }),
    }),
    [id(8)]: only({ base: 100_01n, tax: category === 'S' ? 19_00n : 0n }),
    // BR-CO-17 allows a whole unit, BR-S-09 less than one.
    [id(9)]: only({ tax: category === 'S' ? 20_00n : 1n }),
    [id(10)]: only({ reason: SOUND[category]!.reason === null ? 'Why not' : null }),
  };
  for (const [index, [kind, sign]] of KINDS.entries()) {
    const unknown = category === 'AE' ? { buyer: UNKNOWN } : { seller: UNKNOWN };
    const parties = category === 'O' ? { seller: KNOWN, buyer: UNKNOWN } : unknown;
    const right = [group(category, sign * 100_00n)];
    broken[id(2 + index)] = terms({ [kind]: [item(category)] }, right, parties);
    const wrong = category === 'S' ? [group('S', sign * 100_00n, { rate: 0n, tax: 0n })] : right;
    broken[id(5 + index)] = terms({ [kind]: [badItem] }, wrong);
  }
  return broken;
}

const outside = group('O', 100_00n);
const lineO = item('O');
/** An item of a category that no rule here checks, without a group. */
const other = item('G');

const BROKEN: Record<string, EInvoiceTerms> = {
  'BR-CO-10': withTotals({ lines: 101_00n, net: 101_00n, gross: 120_00n, paid: 120_00n }),
  'BR-CO-11': withTotals({ allowances: 1_00n, net: 99_00n, gross: 118_00n, paid: 118_00n }),
  'BR-CO-12': withTotals({ charges: 1_00n, net: 101_00n, gross: 120_00n, paid: 120_00n }),
  'BR-CO-13': withTotals({ net: 100_01n, gross: 119_01n, paid: 119_01n }),
  'BR-CO-14': withTotals({ tax: 19_01n, gross: 119_01n, paid: 119_01n }),
  'BR-CO-15': withTotals({ gross: 119_01n, paid: 119_01n }),
  'BR-CO-16': withTotals({ due: 1n }),
  'BR-CO-17': terms({ lines: [item('L', 70_000n)] }, [group('L', 100_00n, { rate: 70_000n, tax: 8_01n })]),
  'BR-CL-14': { ...sold, buyer: { ...KNOWN, country: 'XK' } },
  ...brokenOf('S'),
  ...brokenOf('Z'),
  ...brokenOf('E'),
  ...brokenOf('AE'),
  ...brokenOf('O'),
  'BR-O-11': terms({ lines: [lineO] }, [outside, group('S', 0n)]),
  'BR-O-12': terms({ lines: [lineO, other] }, [outside]),
  'BR-O-13': terms({ lines: [lineO], allowances: [other] }, [outside]),
  'BR-O-14': terms({ lines: [lineO], charges: [other] }, [outside]),
};

test('every rule that depends on sales, buyers and taxes exists under its official id', () => {
  const numbered = (family: string, from: number, to: number) =>
    Array.from(
      { length: to - from + 1 },
      (_, index) => `BR-${family}-${String(from + index).padStart(2, '0')}`,
    );
  const ids = [
    ...numbered('CO', 10, 17),
    'BR-CL-14',
    ...['S', 'Z', 'E', 'AE'].flatMap((family) => numbered(family, 1, 10)),
    ...numbered('O', 1, 14),
  ];
  assert.deepEqual(Object.keys(RULES).sort(), ids.sort());
  assert.deepEqual(Object.keys(BROKEN).sort(), ids.sort(), 'a document that breaks each');
});

test('sound documents of each category, with allowances and charges, break no rule', () => {
  for (const category of ['S', 'Z', 'E', 'AE', 'O'] as const) {
    const all = {
      lines: [item(category), item(category)],
      allowances: [item(category)],
      charges: [item(category)],
    };
    assert.deepEqual(brokenRules(terms(all, [group(category, 200_00n)])), [], category);
  }
});

for (const [id, document] of Object.entries(BROKEN)) {
  test(`${id} is broken by a document that breaks it alone`, () => {
    assert.deepEqual(brokenRules(document), [id]);
  });
}

test('a month with exempt sales and sales outside of the scope has one group for both', () => {
  const document = sample([
    [399n, EXEMPT],
    [699n, OUTSIDE_SCOPE],
    [1199n, STANDARD],
  ]);
  assert.equal(obstacleTo(document), undefined);
  assert.deepEqual(
    eInvoiceTerms(document).breakdown.map(({ category, base, reason }) => [category, base, reason]),
    [
      ['E', 1098n, '§ 19 UStG; Outside the scope of VAT'],
      ['S', 1008n, null],
    ],
  );
});

test('an e-invoice that would break a rule does not leave, and says which', () => {
  // Bought by reverse charge; the id was removed from the billing details before the month ended.
  const document = sample([[399n, REVERSE_CHARGE]], { buyer: { ...BUYER, vat_id: null } });
  assert.deepEqual(obstacleTo(document), {
    reason: 'it would violate BR-AE-02 of EN 16931',
    rules: ['BR-AE-02'],
  });
});

test('an e-invoice whose VAT, summed from rounded lines, is too far from its base does not leave', () => {
  const many = Array.from({ length: 172 }, (): [bigint, Tax] => [999n, STANDARD]);
  assert.deepEqual(obstacleTo(sample(many))?.rules, ['BR-CO-17', 'BR-S-09']);
  assert.equal(obstacleTo(sample(many.slice(60))), undefined);
});

test('any sales of a month of up to 60 lines break no rule', () => {
  const anyTax = fc.constantFrom<Tax>(
    STANDARD,
    { ...STANDARD, rate: '0.2' },
    { ...STANDARD, rate: '0.08875' },
    { ...STANDARD, rate: '0.055' },
    REVERSE_CHARGE,
    EXEMPT,
    ZERO_RATED,
    OUTSIDE_SCOPE,
  );
  // Sixty roundings by half a cent stay within the unit that BR-CO-17 and BR-S-09 allow.
  const lines = fc.array(fc.tuple(fc.bigInt(-100_000n, 10_000_000n), anyTax), {
    minLength: 1,
    maxLength: 60,
  });
  const buyer = fc
    .constantFrom(...Object.keys(COUNTRY_NAMES))
    .map((country): Party => ({ ...BUYER, country }));
  const seller = fc.constantFrom<Party>(SELLER, { ...SELLER, vat_id: null, tax_number: '214/5678/0123' });
  const type = fc.constantFrom('invoice' as const, 'credit_note' as const);
  fc.assert(
    fc.property(
      lines,
      buyer,
      seller,
      type,
      fc.constantFrom('EUR', 'USD'),
      (sold, buyer, seller, type, currency) => {
        const document = sample(sold, { buyer, seller, type, currency });
        const expected = buyer.country === 'SS' ? 'EN 16931 has no code for South Sudan' : undefined;
        assert.equal(obstacleTo(document)?.reason, expected);
      },
    ),
    { numRuns: depth(500, 20_000) },
  );
});
