import { decimal } from '../../../server/documents/amounts.ts';
import { taxesOfLines } from '../../../server/domain/billing/document-figures.ts';
import type {
  DocumentLine,
  InvoiceDocument,
  Party,
} from '../../../server/domain/billing/invoice-document.ts';
import { containedTax } from '../../../server/domain/billing/money.ts';
import type { Tax } from '../../../server/domain/tax/tax.ts';

const NOTHING = { vat_id: null, tax_number: null, registration_id: null, email: null };

export const SELLER: Party = {
  ...NOTHING,
  name: 'Vauban Hosting GmbH',
  street: 'Münzstraße 1',
  city: 'Köln',
  postcode: '50667',
  country: 'DE',
  vat_id: 'DE136695976',
  email: 'billing@example.com',
};

export const BUYER: Party = {
  ...NOTHING,
  name: 'Żółć & Ægir <Þórsson> Ελλάδα Ёлка',
  street: "Rue de l'Été 2",
  city: 'Łódź',
  postcode: '90-001',
  country: 'PL',
  vat_id: 'PL8567346215',
};

export const STANDARD: Tax = { category: 'standard', rate: '0.19', reason: null };
export const REVERSE_CHARGE: Tax = { category: 'reverse_charge', rate: '0', reason: 'Reverse charge' };
export const EXEMPT: Tax = { category: 'exempt', rate: '0', reason: '§ 19 UStG' };
export const ZERO_RATED: Tax = { category: 'zero_rated', rate: '0', reason: null };
export const OUTSIDE_SCOPE: Tax = {
  category: 'outside_scope',
  rate: '0',
  reason: 'Outside the scope of VAT',
};

/** Returns a document of lines with these gross amounts, each with its tax. */
export function sample(
  sold: [amountMinor: bigint, tax: Tax][],
  change: Partial<InvoiceDocument> = {},
): InvoiceDocument {
  const lines = sold.map(
    ([amount, { category, rate, reason }], index): DocumentLine & { reason: string | null } => {
      const tax_minor = containedTax(amount, rate);
      return {
        description: `Shared S${index + 1}`,
        vm: { id: 'vm_01ke1y3m8q7n5k2x4z9b1c3d6g', hostname: `web-${index + 1}` },
        quantity: 1,
        unit: 'month',
        unit_price: decimal(amount, 'EUR'),
        proration: false,
        from_at: new Date('2026-01-05T09:30:00Z'),
        to_at: new Date('2026-02-05T09:30:00Z'),
        category,
        tax_rate: rate,
        reason,
        net_minor: amount - tax_minor,
        tax_minor,
      };
    },
  );
  const taxes = taxesOfLines(lines);
  const net_minor = lines.reduce((sum, line) => sum + line.net_minor, 0n);
  const tax_minor = lines.reduce((sum, line) => sum + line.tax_minor, 0n);
  return {
    type: 'invoice',
    number: 'INV-000007',
    issued_at: new Date('2026-02-01T00:10:00Z'),
    period_start_at: new Date('2026-01-01T00:00:00Z'),
    period_end_at: new Date('2026-02-01T00:00:00Z'),
    currency: 'EUR',
    seller: SELLER,
    buyer: BUYER,
    language: 'en',
    order_reference: null,
    footer: null,
    corrects: [],
    lines: lines.map(({ reason: _, ...line }) => line),
    taxes,
    net_minor,
    tax_minor,
    total_minor: net_minor + tax_minor,
    ...change,
  };
}
