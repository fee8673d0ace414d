import { parseMicros } from '../billing/money.ts';
import { isCountry, isInEu, taxedAs } from './countries.ts';
import { hasVatFormat } from './vat-id.ts';

/**
 * How a sale is taxed, as EN 16931 distinguishes it: at a rate, at a rate of nothing, not for a reason of its own, by
 * the buyer, or not in the seller's tax area.
 */
export const TAX_CATEGORIES = [
  'standard',
  'zero_rated',
  'exempt',
  'reverse_charge',
  'outside_scope',
] as const;
export type TaxCategory = (typeof TAX_CATEGORIES)[number];

/** The tax on a sale: `rate` is a decimal such as "0.19", contained in the price; `reason` says why there is none. */
export interface Tax {
  category: TaxCategory;
  rate: string;
  reason: string | null;
}

/** The part of the catalog that says what is taxed and how. */
export interface TaxRules {
  /** Share of tax in prices at home, and wherever no other is listed. */
  tax_rate: string;
  /** The same by country of the buyer (ISO 3166-1 alpha-2). */
  tax_rates?: Record<string, string>;
  seller?: { country: string; exemption_reason?: string };
}

/** What of a buyer's billing profile decides on tax. */
export interface TaxedBuyer {
  kind: 'business' | 'consumer';
  country: string;
  vat_id: string | null;
  exempt_reason: string | null;
}

/** As Article 226 (11a) of the VAT directive wants it said. */
export const REVERSE_CHARGE_NOTE = 'Reverse charge';
export const OUTSIDE_SCOPE_NOTE = 'Service outside the scope of VAT: the place of supply is abroad';

/**
 * The tax on a sale to `buyer`, who is a consumer at home where nothing is known. A service is taxed where its buyer
 * is: at the listed rate of that country, by the buyer where both are in the EU and the buyer is a business with a VAT
 * id of its country, and not at all outside of the EU. A country of the EU that is not listed has the rate of home, as sellers below
 * the threshold for distance sales charge it. A code that is no country counts as nothing known: what runs is taxed at home,
 * where too much is owed rather than too little.
 */
export function taxFor(rules: TaxRules, buyer: TaxedBuyer | undefined): Tax {
  const { seller, tax_rate, tax_rates = {} } = rules;
  if (buyer?.exempt_reason) return { category: 'exempt', rate: '0', reason: buyer.exempt_reason };
  if (!buyer || !seller || !isCountry(buyer.country)) return taxed(tax_rate, seller);
  if (taxedAs(buyer.country) === taxedAs(seller.country)) return taxed(tax_rate, seller);
  const listed = tax_rates[buyer.country] ?? tax_rates[taxedAs(buyer.country)];
  if (isInEu(seller.country) && isInEu(buyer.country)) {
    const byBuyer = buyer.kind === 'business' && isVatIdOf(buyer.country, buyer.vat_id);
    if (byBuyer) return { category: 'reverse_charge', rate: '0', reason: REVERSE_CHARGE_NOTE };
    return taxed(listed ?? tax_rate, seller);
  }
  if (listed !== undefined) return taxed(listed, seller);
  return { category: 'outside_scope', rate: '0', reason: OUTSIDE_SCOPE_NOTE };
}

/** An id may be from before its country was corrected: one of another country moves no tax to the buyer. */
const isVatIdOf = (country: string, vatId: string | null) => vatId !== null && hasVatFormat(country, vatId);

function taxed(rate: string, seller: TaxRules['seller']): Tax {
  if (parseMicros(rate) > 0n) return { category: 'standard', rate, reason: null };
  const reason = seller?.exemption_reason ?? null;
  return { category: reason === null ? 'zero_rated' : 'exempt', rate: '0', reason };
}
