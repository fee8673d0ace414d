import { parseMicros } from '../billing/money.ts';
import { isCountry, isInEu, taxedAs } from './countries.ts';
import { hasVatFormat } from './vat-id.ts';

/**
 * The categories of tax in EN 16931: at a rate, at a rate of zero, exempt for a stated reason, paid by the buyer, or
 * outside the seller's tax area.
 */
export const TAX_CATEGORIES = [
  'standard',
  'zero_rated',
  'exempt',
  'reverse_charge',
  'outside_scope',
] as const;
export type TaxCategory = (typeof TAX_CATEGORIES)[number];

/** The tax on a sale: `rate` is a decimal such as "0.19", contained in the price; `reason` says why no tax applies. */
export interface Tax {
  category: TaxCategory;
  rate: string;
  reason: string | null;
}

/** The catalog's tax settings. */
export interface TaxRules {
  /** Tax rate contained in prices in the seller's country, and for every country without its own rate. */
  tax_rate: string;
  /** Tax rates by the buyer's country (ISO 3166-1 alpha-2). */
  tax_rates?: Record<string, string>;
  seller?: { country: string; exemption_reason?: string };
}

/** The fields of a buyer's billing profile that determine the tax. */
export interface TaxedBuyer {
  kind: 'business' | 'consumer';
  country: string;
  vat_id: string | null;
  exempt_reason: string | null;
}

/** The wording required by Article 226 (11a) of the VAT directive. */
export const REVERSE_CHARGE_NOTE = 'Reverse charge';
export const OUTSIDE_SCOPE_NOTE = 'Service outside the scope of VAT: the place of supply is abroad';

/**
 * Returns the tax on a sale to `buyer`; an unknown buyer counts as a consumer in the seller's country. A service is
 * taxed in the buyer's country: at its listed rate; by the buyer, if both are in the EU and the buyer is a business
 * with a VAT id of its country; and not at all outside the EU. An EU country that is not listed has the seller's own
 * rate, which sellers below the threshold for distance sales charge. An invalid country code counts as unknown:
 * renewals are then taxed as in the seller's country, where too much tax is paid rather than too little.
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

/**
 * The id may date from before the country was corrected: an id of another country does not shift the tax to the buyer.
 */
const isVatIdOf = (country: string, vatId: string | null) => vatId !== null && hasVatFormat(country, vatId);

function taxed(rate: string, seller: TaxRules['seller']): Tax {
  if (parseMicros(rate) > 0n) return { category: 'standard', rate, reason: null };
  const reason = seller?.exemption_reason ?? null;
  return { category: reason === null ? 'zero_rated' : 'exempt', rate: '0', reason };
}
