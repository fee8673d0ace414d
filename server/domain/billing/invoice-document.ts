import type { InvoiceLineRow, InvoiceView, PartyRow, PrintedRow } from '../../db/queries/money/invoices.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Seller } from '../catalog/catalog-schema.ts';
import { countryName, eInvoiceCountry } from '../tax/countries.ts';
import type { TaxCategory } from '../tax/tax.ts';
import { normalizeVatId } from '../tax/vat-id.ts';
import { type DocumentTax, documentFigures } from './document-figures.ts';
import { currencyExponent, plainRate, sum } from './money.ts';

export type { DocumentTax } from './document-figures.ts';

export type Party = PartyRow;

export const DOCUMENT_LANGUAGES = ['en', 'de'] as const;
export type DocumentLanguage = (typeof DOCUMENT_LANGUAGES)[number];

/** One item sold or refunded. Amounts are minor units. */
export interface DocumentLine {
  description: string;
  /**
   * The VM with its name when the line was sold; null if the line concerns no VM, or dates from before this was
   * recorded.
   */
  vm: { id: string; hostname: string } | null;
  /** Hours that are sold to the second have at most four decimals. */
  quantity: number;
  unit: string;
  /** Price of one unit including tax, a decimal in major units. */
  unit_price: string;
  /** True if the amount is a share of the unit. */
  proration: boolean;
  from_at: Date;
  to_at: Date;
  category: TaxCategory;
  tax_rate: string;
  net_minor: bigint;
  tax_minor: bigint;
}

/**
 * An issued invoice or credit note: the common model of its PDF and XML, made only of data that is fixed at issue. The
 * amounts of a credit note are positive here, because its type already says that they are refunded.
 */
export interface InvoiceDocument {
  type: 'invoice' | 'credit_note';
  number: string;
  issued_at: Date;
  period_start_at: Date;
  period_end_at: Date;
  currency: string;
  seller: Party;
  buyer: Party;
  language: DocumentLanguage;
  /** The customer's own order number. */
  order_reference: string | null;
  /** The seller's text at the foot of each page; lines are separated by line feeds. */
  footer: string | null;
  /** Numbers of the invoices that a credit note corrects. */
  corrects: string[];
  lines: DocumentLine[];
  taxes: DocumentTax[];
  net_minor: bigint;
  tax_minor: bigint;
  total_minor: bigint;
}

/**
 * Why a document has no e-invoice. `rules` are the official rules that it would violate, if it could have one at all.
 */
export interface Obstacle {
  reason: string;
  rules: string[];
}

/** Checks documents of any length against the rules for e-invoices. */
export interface DocumentCheck {
  /** Returns why no e-invoice of `document` may be issued; undefined if it may. */
  check(accountId: string, document: InvoiceDocument): Promise<Obstacle | undefined>;
}

/** EN 16931 only has amounts with two decimals. */
const MAX_DECIMALS = 2;

/** Returns why an invoice cannot be expressed in EN 16931; undefined if it can. */
export function eInvoiceObstacle({ seller, buyer, currency }: InvoiceDocument): string | undefined {
  if (buyer.country === null) return 'it has no address of the buyer';
  for (const { country } of [seller, buyer]) {
    if (country !== null && eInvoiceCountry(country) === undefined)
      return `EN 16931 has no code for ${countryName(country)}`;
  }
  if (currencyExponent(currency) > MAX_DECIMALS) return `EN 16931 has no amounts as fine as ${currency}'s`;
  return undefined;
}

/** Returns the catalog's seller in the form that invoices store. */
export function sellerParty(seller: Seller): Party {
  const { name, street, city, postcode, country, vat_id, tax_number, registration_id, email } = seller;
  return {
    name,
    street,
    city,
    postcode: postcode ?? null,
    country,
    vat_id: vat_id === undefined ? null : normalizeVatId(vat_id),
    tax_number: tax_number ?? null,
    registration_id: registration_id ?? null,
    email: email ?? null,
  };
}

/** The printed details of documents from before these were stored. */
const NOTHING_PRINTED: PrintedRow = { language: 'en', order_reference: null, footer: null };

/**
 * The smallest number of hours that four decimals can show. If a clock was set back, no time was served, but a quantity
 * of zero cannot have a price.
 */
const LEAST_HOURS = 0.0001;

/**
 * Returns a line's quantity. In the books, usage sold to the second is a share of an hour, which can be many hours; the
 * document states their number, so that its reader does not have to guess.
 */
function countOf({ unit, quantity, proration, from_at, to_at }: InvoiceLineRow) {
  if (unit !== 'hour' || !proration) return { quantity, proration };
  const hours = Number(((to_at.getTime() - from_at.getTime()) / 3_600_000).toFixed(4));
  return { quantity: Math.max(hours, LEAST_HOURS), proration: false };
}

/**
 * Returns the document of an invoice, built from stored data. Throws `document_unavailable` if the invoice has none.
 */
export function invoiceDocument(invoice: InvoiceView, lines: InvoiceLineRow[]): InvoiceDocument {
  const { type, number, issued_at, seller, buyer, currency, period_start_at, period_end_at } = invoice;
  if (number === null || issued_at === null)
    throw new ApiError(
      'document_unavailable',
      'A draft has neither a PDF nor XML because it can still change.',
    );
  if (seller === null || buyer === null)
    throw new ApiError(
      'document_unavailable',
      `${number} names no seller, because none was set when it was issued.`,
    );
  const sign = type === 'credit_note' ? -1n : 1n;
  const figures = documentFigures(invoice, lines);
  const taxes = figures.taxes.map((tax) => ({
    ...tax,
    net_minor: sign * tax.net_minor,
    tax_minor: sign * tax.tax_minor,
  }));
  const net_minor = sum(taxes.map((tax) => tax.net_minor));
  const tax_minor = sum(taxes.map((tax) => tax.tax_minor));
  return {
    ...{ type, number, issued_at, period_start_at, period_end_at, currency, seller, buyer },
    ...(invoice.printed ?? NOTHING_PRINTED),
    corrects: invoice.corrects.flatMap((corrected) => corrected.number ?? []),
    lines: figures.lines.map((line) => ({
      description: line.description,
      vm: line.vm_id !== null && line.hostname !== null ? { id: line.vm_id, hostname: line.hostname } : null,
      ...countOf(line),
      unit: line.unit,
      unit_price: line.unit_price,
      from_at: line.from_at,
      to_at: line.to_at,
      category: line.tax_category,
      tax_rate: plainRate(line.tax_rate),
      net_minor: sign * line.net_minor,
      tax_minor: sign * line.tax_minor,
    })),
    taxes,
    net_minor,
    tax_minor,
    total_minor: net_minor + tax_minor,
  };
}
