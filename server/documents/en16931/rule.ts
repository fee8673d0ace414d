import type { Breakdown, CategoryCode, EInvoiceTerms, TaxedAmount } from './terms.ts';

/** Rules by their official ids; each returns whether an e-invoice complies with it. */
export type Rules = Readonly<Record<string, (terms: EInvoiceTerms) => boolean>>;

/** One unit of the currency, in hundredths: the tolerance between a VAT amount and the rate's share of its base. */
export const UNIT = 100n;
/** A share of 1, in millionths. */
const WHOLE = 1_000_000n;

type OfCategory = { category: CategoryCode };
const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount);

export const sumOf = (amounts: TaxedAmount[]): bigint =>
  amounts.reduce((sum, { amount }) => sum + amount, 0n);

/** Returns `amount` as a number of `unit`s, with halves rounded up. */
export const round = (amount: bigint, unit: bigint): bigint => (magnitude(amount) * 2n + unit) / (unit * 2n);

/** Returns the VAT on a group's base in hundredths, rounded to hundredths. */
export const roundedTax = ({ base, rate }: Breakdown): bigint => round(magnitude(base) * (rate ?? 0n), WHOLE);

/** Returns the same as computed by BR-S-09: the base is multiplied by the percentage and rounded, then divided. */
export const wholeTax = ({ base, rate }: Breakdown): bigint =>
  round(magnitude(base) * (rate ?? 0n) * 100n, WHOLE * UNIT);

/** Returns the difference between a group's VAT and `expected`, ignoring signs. */
export const vatDifference = ({ tax }: Breakdown, expected: bigint): bigint =>
  magnitude(magnitude(tax) - expected);

export const of = <Item extends OfCategory>(items: Item[], category: CategoryCode): Item[] =>
  items.filter((item) => item.category === category);
export const has = (items: OfCategory[], category: CategoryCode): boolean => of(items, category).length > 0;
export const groupsOf = ({ breakdown }: EInvoiceTerms, category: CategoryCode) => of(breakdown, category);

/** Returns whether any line, allowance or charge has this category. */
export const isUsed = ({ lines, allowances, charges }: EInvoiceTerms, category: CategoryCode): boolean =>
  [lines, allowances, charges].some((items) => has(items, category));

/** Returns the sum of lines and charges minus allowances of a category, and of a rate if one is given. */
export function baseOf(terms: EInvoiceTerms, category: CategoryCode, rate?: bigint | null): bigint {
  const alike = (items: TaxedAmount[]) =>
    sumOf(of(items, category).filter((item) => rate === undefined || item.rate === rate));
  return alike(terms.lines) + alike(terms.charges) - alike(terms.allowances);
}

export const isTaxed = ({ rate }: TaxedAmount): boolean => rate !== null && rate > 0n;
export const isRateZero = ({ rate }: TaxedAmount): boolean => rate === 0n;
export const isRateAbsent = ({ rate }: TaxedAmount): boolean => rate === null;
export const isExplained = ({ reason, reasonCode }: Breakdown): boolean =>
  reason !== null || reasonCode !== null;

export const isSellerKnown = ({ seller, representativeVatId }: EInvoiceTerms): boolean =>
  seller.vatId !== null || seller.taxNumber !== null || representativeVatId !== null;
export const isBuyerKnown = ({ buyer }: EInvoiceTerms): boolean =>
  buyer.vatId !== null || buyer.legalId !== null;
export const isVatIdNamed = ({ seller, buyer, representativeVatId }: EInvoiceTerms): boolean =>
  seller.vatId !== null || buyer.vatId !== null || representativeVatId !== null;
