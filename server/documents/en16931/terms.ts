import type { InvoiceDocument, Party } from '../../domain/billing/invoice-document.ts';
import { currencyExponent, parseMicros } from '../../domain/billing/money.ts';
import { eInvoiceCountry } from '../../domain/tax/countries.ts';
import type { TaxCategory } from '../../domain/tax/tax.ts';

/**
 * VAT category codes of EN 16931 (UNTDID 5305). Vauban writes the first five; the rules also have to recognise the
 * others.
 */
export type CategoryCode = 'S' | 'Z' | 'E' | 'AE' | 'O' | 'G' | 'K' | 'L' | 'M';

/** The tax on something: `rate` is a share in millionths, null if no rate is stated. */
interface Taxed {
  category: CategoryCode;
  rate: bigint | null;
}

/** A line (BG-25), or a document level allowance (BG-20) or charge (BG-21), with its amount without VAT. */
export interface TaxedAmount extends Taxed {
  amount: bigint;
}

/** One group of the VAT breakdown (BG-23). */
export interface Breakdown extends Taxed {
  base: bigint;
  tax: bigint;
  reason: string | null;
  reasonCode: string | null;
}

/**
 * The data about a party that the rules check. `vatId` is BT-31 or BT-48, `taxNumber` BT-32, `legalId` BT-30 or BT-47.
 */
export interface TaxedParty {
  country: string | null;
  vatId: string | null;
  taxNumber: string | null;
  legalId: string | null;
}

/**
 * The contents of an e-invoice that the rules of EN 16931 check. Amounts are in hundredths of the currency's major
 * unit.
 */
export interface EInvoiceTerms {
  seller: TaxedParty;
  /** BT-63. */
  representativeVatId: string | null;
  buyer: TaxedParty;
  lines: TaxedAmount[];
  allowances: TaxedAmount[];
  charges: TaxedAmount[];
  breakdown: Breakdown[];
  /** BT-106 to BT-115, in this order. */
  totals: {
    lines: bigint;
    allowances: bigint | null;
    charges: bigint | null;
    net: bigint;
    tax: bigint;
    gross: bigint;
    paid: bigint | null;
    rounding: bigint | null;
    due: bigint;
  };
}

const CODE: Record<TaxCategory, CategoryCode> = {
  standard: 'S',
  zero_rated: 'Z',
  exempt: 'E',
  reverse_charge: 'AE',
  outside_scope: 'O',
};
/** Codes from the CEF's list of exemption reasons, for the categories in which one code always fits. */
const REASON_CODE: Partial<Record<CategoryCode, string>> = { AE: 'VATEX-EU-AE', O: 'VATEX-EU-O' };
/** EN 16931 allows amounts with two decimals. */
const DECIMALS = 2;

/** Returns the contents of the e-invoice of `document`, from which its XML is built. */
export function eInvoiceTerms(document: InvoiceDocument): EInvoiceTerms {
  const scale = 10n ** BigInt(DECIMALS - currencyExponent(document.currency));
  // An invoice outside the scope of VAT must not name VAT ids (BR-O-02), and must not be outside only in part (BR-O-11,
  // 12). If only a part is outside, that part is written as exempt, with the same reason.
  const isOutside = document.taxes.every(({ category }) => category === 'outside_scope');
  const taxed = ({ category, tax_rate }: { category: TaxCategory; tax_rate: string }): Taxed =>
    category === 'outside_scope'
      ? { category: isOutside ? 'O' : 'E', rate: isOutside ? null : 0n }
      : { category: CODE[category], rate: parseMicros(tax_rate) };
  const [net, tax, gross] = [document.net_minor, document.tax_minor, document.total_minor].map(
    (minor) => minor * scale,
  ) as [bigint, bigint, bigint];
  const groups = document.taxes.map((group) => ({
    ...taxed(group),
    base: group.net_minor * scale,
    tax: group.tax_minor * scale,
    reason: group.reason,
  }));
  return {
    seller: party(document.seller, isOutside),
    representativeVatId: null,
    buyer: party(document.buyer, isOutside),
    lines: document.lines.map((line) => ({ ...taxed(line), amount: line.net_minor * scale })),
    allowances: [],
    charges: [],
    breakdown: merged(groups),
    // Everything is paid from a prepaid wallet, and refunded to it.
    totals: {
      ...{ lines: net, allowances: null, charges: null, net, tax, gross },
      ...{ paid: gross, rounding: null, due: 0n },
    },
  };
}

/**
 * Merges groups into one for each category and rate (BR-E-01): sales that are exempt and sales that are only written as
 * exempt share a group.
 */
function merged(groups: Omit<Breakdown, 'reasonCode'>[]): Breakdown[] {
  const alike = Map.groupBy(groups, ({ category, rate }) => `${category} ${rate}`);
  return [...alike.values()].map((same) => ({
    ...same[0]!,
    base: same.reduce((sum, { base }) => sum + base, 0n),
    tax: same.reduce((sum, { tax }) => sum + tax, 0n),
    reason: [...new Set(same.flatMap(({ reason }) => reason ?? []))].join('; ') || null,
    reasonCode: REASON_CODE[same[0]!.category] ?? null,
  }));
}

function party({ country, vat_id, tax_number }: Party, isOutside: boolean): TaxedParty {
  return {
    country: country === null ? null : (eInvoiceCountry(country) ?? country),
    vatId: isOutside ? null : vat_id,
    taxNumber: tax_number,
    legalId: null,
  };
}
