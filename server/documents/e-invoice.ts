import {
  buildXml,
  DocumentTypeCode,
  type FacturXInvoiceInput,
  Profile,
  VatCategoryCode,
  validateXsd,
} from '@stackforge-eu/factur-x';
import type { InvoiceDocument, Party } from '../domain/billing/invoice-document.ts';
import { day } from './amounts.ts';
import { type CategoryCode, eInvoiceTerms, type TaxedParty } from './en16931/terms.ts';
import { period, priceOf } from './line-texts.ts';
import { textsOf } from './texts/texts.ts';

type InvoiceLine = NonNullable<FacturXInvoiceInput['lines']>[number];

const CATEGORY: Partial<Record<CategoryCode, VatCategoryCode>> = {
  S: VatCategoryCode.STANDARD_RATE,
  Z: VatCategoryCode.ZERO_RATED,
  E: VatCategoryCode.EXEMPT,
  AE: VatCategoryCode.REVERSE_CHARGE,
  O: VatCategoryCode.OUTSIDE_SCOPE,
};

/** UN/ECE Recommendation 20 codes for the units of lines; it has none for a GB-month. */
const UNIT_CODE: Record<string, string> = { month: 'MON', hour: 'HUR', GB: 'E34' };
const UNIT_CODE_OF_ANYTHING = 'C62';

/**
 * Returns an invoice as XML according to EN 16931: UN/CEFACT CII in the Factur-X (ZUGFeRD) profile "EN 16931". Throws
 * if the XML violates that profile's schema, so that nothing invalid is ever issued.
 */
export async function eInvoice(document: InvoiceDocument): Promise<string> {
  const xml = buildXml(input(document), Profile.EN16931);
  const { valid, errors } = await validateXsd(xml, Profile.EN16931);
  if (!valid)
    throw new Error(`${document.number} breaks the schema: ${errors.map((e) => e.message).join('; ')}`);
  return xml;
}

function input(document: InvoiceDocument): FacturXInvoiceInput {
  const { number, issued_at, currency, lines } = document;
  const terms = eInvoiceTerms(document);
  const { totals } = terms;
  const texts = textsOf(document.language);
  const code = (category: CategoryCode) => CATEGORY[category]!;
  const typeCode =
    document.type === 'invoice' ? DocumentTypeCode.COMMERCIAL_INVOICE : DocumentTypeCode.CREDIT_NOTE;
  return {
    document: { id: number, issueDate: day(issued_at), typeCode },
    seller: party(document.seller, terms.seller, true),
    buyer: party(document.buyer, terms.buyer, false),
    billingPeriod: servicePeriod(document),
    references: [
      ...document.corrects.map((id) => ({ id, type: 'preceding' as const })),
      ...(document.order_reference === null
        ? []
        : [{ id: document.order_reference, type: 'order' as const }]),
    ],
    lines: lines.map((line, index): InvoiceLine => {
      const { amount, category, rate } = terms.lines[index]!;
      return {
        id: String(index + 1),
        name: texts.sold(line.description),
        ...(line.vm && { description: `${line.vm.hostname}, ${line.vm.id}` }),
        note: `${period(line, texts)}; ${priceOf(line, currency, texts)}`,
        // The price is for the whole quantity, because the net price of one unit would have to be rounded.
        quantity: amount < 0n ? -line.quantity : line.quantity,
        unitCode: UNIT_CODE[line.unit] ?? UNIT_CODE_OF_ANYTHING,
        unitPrice: major(amount < 0n ? -amount : amount),
        basisQuantity: line.quantity,
        lineTotal: major(amount),
        vatCategoryCode: code(category),
        vatRatePercent: rate === null ? undefined : perCent(rate),
      };
    }),
    vatBreakdown: terms.breakdown.map((group) => ({
      categoryCode: code(group.category),
      ratePercent: perCent(group.rate ?? 0n),
      taxableAmount: major(group.base),
      taxAmount: major(group.tax),
      exemptionReason: group.reason ?? undefined,
      exemptionReasonCode: group.reasonCode ?? undefined,
    })),
    totals: {
      lineTotal: major(totals.lines),
      taxBasisTotal: major(totals.net),
      taxTotal: major(totals.tax),
      grandTotal: major(totals.gross),
      prepaidAmount: major(totals.paid ?? 0n),
      duePayableAmount: major(totals.due),
      currency,
    },
  };
}

/**
 * Converts hundredths to major units. The library writes two digits; a number of at most 15 digits is written exactly.
 */
const major = (hundredths: bigint): number => Number(hundredths) / 100;

/** Converts a share in millionths to per cent. */
const perCent = (rate: bigint): number => Number(rate) / 10_000;

/** Returns the first and the last day of service. The last one is after the month if a month is paid in advance. */
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

function party(from: Party, taxed: TaxedParty, isSeller: boolean): FacturXInvoiceInput['seller'] {
  const { name, street, city, postcode, vat_id, tax_number, registration_id, email } = from;
  const taxRegistrations = [
    ...(taxed.vatId !== null ? [{ id: taxed.vatId, schemeId: 'VA' as const }] : []),
    ...(taxed.taxNumber !== null ? [{ id: taxed.taxNumber, schemeId: 'FC' as const }] : []),
  ];
  return {
    name,
    // Every seller has an identifier: its registration, or otherwise the number known to the tax office.
    ...(isSeller && { id: registration_id ?? vat_id ?? tax_number ?? name }),
    address: {
      line1: street ?? '',
      city: city ?? '',
      postalCode: postcode ?? '',
      country: taxed.country ?? '',
    },
    contact: email === null ? undefined : { email },
    taxRegistrations,
  };
}
