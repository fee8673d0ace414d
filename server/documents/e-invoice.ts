import {
  buildXml,
  DocumentTypeCode,
  type FacturXInvoiceInput,
  Profile,
  VatCategoryCode,
  validateXsd,
} from '@stackforge-eu/factur-x';
import type { InvoiceDocument, Party } from '../domain/billing/invoice-document.ts';
import { eInvoiceCountry } from '../domain/tax/countries.ts';
import type { TaxCategory } from '../domain/tax/tax.ts';
import { day, decimal, percent } from './amounts.ts';

type InvoiceLine = NonNullable<FacturXInvoiceInput['lines']>[number];

const CATEGORY: Record<TaxCategory, VatCategoryCode> = {
  standard: VatCategoryCode.STANDARD_RATE,
  zero_rated: VatCategoryCode.ZERO_RATED,
  exempt: VatCategoryCode.EXEMPT,
  reverse_charge: VatCategoryCode.REVERSE_CHARGE,
  outside_scope: VatCategoryCode.OUTSIDE_SCOPE,
};
/** The codes of the CEF's list of exemption reasons, where it has one that always fits. */
const REASON_CODE: Partial<Record<TaxCategory, string>> = {
  reverse_charge: 'VATEX-EU-AE',
  outside_scope: 'VATEX-EU-O',
};
/**
 * An invoice as XML by EN 16931: UN/CEFACT CII in the Factur-X (ZUGFeRD) profile "EN 16931". Throws where the schema of
 * that profile does not hold, so that nothing invalid is ever handed out.
 */
export async function eInvoice(document: InvoiceDocument): Promise<string> {
  const xml = buildXml(input(document), Profile.EN16931);
  const { valid, errors } = await validateXsd(xml, Profile.EN16931);
  if (!valid)
    throw new Error(`${document.number} breaks the schema: ${errors.map((e) => e.message).join('; ')}`);
  return xml;
}

function input(document: InvoiceDocument): FacturXInvoiceInput {
  const { number, issued_at, currency, taxes, lines } = document;
  // The library writes numbers with two digits; those of a decimal of at most 15 digits come out as they went in.
  const major = (minor: bigint) => Number(decimal(minor, currency));
  // An invoice outside of the scope of VAT must not name VAT ids, and must not be outside only in part.
  const isOutside = taxes.every(({ category }) => category === 'outside_scope');
  const code = (category: TaxCategory) =>
    CATEGORY[category === 'outside_scope' && !isOutside ? 'exempt' : category];
  const typeCode =
    document.type === 'invoice' ? DocumentTypeCode.COMMERCIAL_INVOICE : DocumentTypeCode.CREDIT_NOTE;
  const [net, tax, total] = [document.net_minor, document.tax_minor, document.total_minor].map(major);
  return {
    document: { id: number, issueDate: day(issued_at), typeCode },
    seller: party(document.seller, isOutside, true),
    buyer: party(document.buyer, isOutside, false),
    billingPeriod: servicePeriod(document),
    references: document.corrects.map((id) => ({ id, type: 'preceding' })),
    lines: lines.map((line, index): InvoiceLine => {
      const magnitude = line.net_minor < 0n ? -line.net_minor : line.net_minor;
      return {
        id: String(index + 1),
        name: line.description,
        note: `${day(line.from_at)} – ${day(line.to_at)}`,
        quantity: line.net_minor < 0n ? -1 : 1,
        unitPrice: major(magnitude),
        lineTotal: major(line.net_minor),
        vatCategoryCode: code(line.category),
        vatRatePercent:
          line.category === 'outside_scope' && isOutside ? undefined : Number(percent(line.tax_rate)),
      };
    }),
    vatBreakdown: taxes.map((group) => ({
      categoryCode: code(group.category),
      ratePercent: Number(percent(group.tax_rate)),
      taxableAmount: major(group.net_minor),
      taxAmount: major(group.tax_minor),
      exemptionReason: group.reason ?? undefined,
      exemptionReasonCode:
        isOutside || group.category !== 'outside_scope' ? REASON_CODE[group.category] : undefined,
    })),
    totals: {
      lineTotal: net!,
      taxBasisTotal: net!,
      taxTotal: tax!,
      grandTotal: total!,
      // Bought from a prepaid wallet, and given back to it.
      prepaidAmount: total!,
      duePayableAmount: 0,
      currency,
    },
  };
}

/** From the first instant of service to the last, which lies beyond the month where a month is paid in advance. */
function servicePeriod({ lines, period_start_at, period_end_at }: InvoiceDocument) {
  const starts = lines.map((line) => line.from_at.getTime());
  const ends = lines.map((line) => line.to_at.getTime());
  const extreme = (pick: typeof Math.min, instants: number[], otherwise: Date) =>
    instants.length === 0 ? otherwise : new Date(instants.reduce((a, b) => pick(a, b)));
  return {
    startDate: day(extreme(Math.min, starts, period_start_at)),
    endDate: day(extreme(Math.max, ends, period_end_at)),
  };
}

function party(from: Party, isOutside: boolean, isSeller: boolean): FacturXInvoiceInput['seller'] {
  const { name, street, city, postcode, country, vat_id, tax_number, registration_id, email } = from;
  const taxRegistrations = [
    ...(vat_id !== null && !isOutside ? [{ id: vat_id, schemeId: 'VA' as const }] : []),
    ...(tax_number !== null ? [{ id: tax_number, schemeId: 'FC' as const }] : []),
  ];
  return {
    name,
    // Every seller is identified: by the register, else as the tax office knows it.
    ...(isSeller && { id: registration_id ?? vat_id ?? tax_number ?? name }),
    address: {
      line1: street ?? '',
      city: city ?? '',
      postalCode: postcode ?? '',
      country: (country && eInvoiceCountry(country)) ?? '',
    },
    contact: email === null ? undefined : { email },
    taxRegistrations,
  };
}
