import type { InvoiceLineRow, InvoiceView } from '../../../db/queries/money/invoices.ts';
import { documentFigures } from '../../../domain/billing/document-figures.ts';
import { plainRate, toJsonInteger } from '../../../domain/billing/money.ts';
import { TAX_CATEGORIES } from '../../../domain/tax/tax.ts';
import { Currency, Decimal, Enum, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const INVOICE_TYPES = ['invoice', 'credit_note'] as const;
export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void'] as const;

const PartyShape = Shape(
  {
    name: Type.String(),
    street: Nullable(Type.String()),
    city: Nullable(Type.String()),
    postcode: Nullable(Type.String()),
    country: Nullable(Type.String({ description: 'ISO 3166-1 alpha-2; null if unknown' })),
    vat_id: Nullable(Type.String()),
    tax_number: Nullable(Type.String()),
    registration_id: Nullable(Type.String({ description: 'Number in the trade register' })),
    email: Nullable(Type.String()),
  },
  { $id: 'InvoiceParty', description: 'The seller or the buyer at the time of issue' },
);

const taxFields = {
  tax_category: Enum(TAX_CATEGORIES, {
    $id: 'TaxCategory',
    description:
      "Tax treatment: standard rate, zero rate, exempt, reverse charge, or outside the scope of the seller's tax",
  }),
  tax_reason: Nullable(Type.String({ description: 'The reason why there is no tax; null if there is tax' })),
};

const invoiceFields = {
  id: Id('inv'),
  type: Enum(INVOICE_TYPES, {
    $id: 'InvoiceType',
    description: 'A credit note contains refunds; its amounts are negative',
  }),
  number: Nullable(
    Type.String({
      description: "Sequential number in the seller's series of this type; null for a draft",
      examples: ['INV-000007'],
    }),
  ),
  status: Enum(INVOICE_STATUSES, {
    $id: 'InvoiceStatus',
    description: 'A draft still collects the orders of its month; issued documents never change',
  }),
  period_start_at: Timestamp('Start of the month'),
  period_end_at: Timestamp('Start of the next month'),
  subtotal_minor: Minor('Total without tax'),
  tax_minor: Minor('Tax contained in the total'),
  total_minor: Minor('Sum of the lines, including tax'),
  currency: Currency,
  issued_at: Nullable(Timestamp('Null for a draft')),
  paid_at: Nullable(Timestamp()),
  seller: Nullable(PartyShape),
  buyer: Nullable(PartyShape),
  order_reference: Nullable(
    Type.String({ description: "The buyer's own order number; null if none was given, and for a draft" }),
  ),
  corrects: Type.Array(
    Shape(
      {
        invoice_id: Id('inv'),
        number: Nullable(Type.String({ description: 'Null for a draft' })),
      },
      { $id: 'CorrectedInvoice' },
    ),
    { description: 'The invoices that a credit note corrects; empty for an invoice' },
  ),
};

const TaxRate = Type.String({
  pattern: '^0(\\.[0-9]{1,6})?$',
  description: 'Tax rate at the time of sale: "0.2" for 20 %',
  examples: ['0.2'],
});

const TaxShape = Shape(
  {
    tax_rate: TaxRate,
    ...taxFields,
    subtotal_minor: Minor('Sum of the lines at this rate, without tax'),
    tax_minor: Minor('Tax in the sum of the lines at this rate, rounded once'),
  },
  { $id: 'InvoiceTax', description: 'Amounts of an invoice at one tax rate' },
);

const InvoiceLineShape = Shape(
  {
    description: Type.String(),
    vm_id: Nullable(Id('vm')),
    hostname: Nullable(
      Type.String({
        description:
          'Hostname of the VM at the time of sale; null if the line is not about a VM or is older than this field',
        examples: ['web-1'],
      }),
    ),
    quantity: Type.Integer(),
    unit: Type.String({ examples: ['month', 'hour', 'add_on'] }),
    unit_price: Decimal('Price of one unit'),
    price_hourly: Nullable(Decimal('Hourly price for a month with hourly billing; null for other lines')),
    amount_minor: Minor('Including tax; negative for a credit'),
    tax_rate: TaxRate,
    tax_category: taxFields.tax_category,
    tax_minor: Minor("The line's share of the tax at its rate"),
    from_at: Timestamp('Start of the service period'),
    to_at: Timestamp('End of the service period'),
    proration: Type.Boolean({
      description: 'True if the amount is prorated to the time between `from_at` and `to_at`',
    }),
  },
  { $id: 'InvoiceLine' },
);

export const InvoiceShape = Shape(invoiceFields, {
  $id: 'Invoice',
  description: 'The charges of a calendar month, or a credit note with its refunds',
});
export const InvoiceWithLinesShape = Shape(
  {
    ...invoiceFields,
    taxes: Type.Array(TaxShape, { description: 'Amounts by tax rate, lowest rate first' }),
    lines: Type.Array(InvoiceLineShape, { description: 'In the order of the charges' }),
  },
  { $id: 'InvoiceWithLines', description: 'An invoice or a credit note with its lines' },
);

export function presentInvoice(invoice: InvoiceView) {
  const { total_minor, tax_minor } = invoice;
  return {
    id: invoice.id,
    type: invoice.type,
    number: invoice.number,
    status: invoice.status,
    period_start_at: invoice.period_start_at,
    period_end_at: invoice.period_end_at,
    subtotal_minor: toJsonInteger(total_minor - tax_minor),
    tax_minor: toJsonInteger(tax_minor),
    total_minor: toJsonInteger(total_minor),
    currency: invoice.currency,
    issued_at: invoice.issued_at,
    paid_at: invoice.paid_at,
    seller: invoice.seller,
    buyer: invoice.buyer,
    order_reference: invoice.printed?.order_reference ?? null,
    corrects: invoice.corrects,
  };
}

/**
 * Presents a document with its amounts by tax rate and category, and with its lines, whose taxes add up to those
 * amounts.
 */
export function presentInvoiceWithLines(invoice: InvoiceView, rows: InvoiceLineRow[]) {
  const { taxes, lines } = documentFigures(invoice, rows);
  return {
    ...presentInvoice(invoice),
    taxes: taxes.map(({ category, tax_rate, reason, net_minor, tax_minor }) => ({
      tax_rate,
      tax_category: category,
      tax_reason: reason,
      subtotal_minor: toJsonInteger(net_minor),
      tax_minor: toJsonInteger(tax_minor),
    })),
    lines: lines.map(presentInvoiceLine),
  };
}

function presentInvoiceLine(line: InvoiceLineRow) {
  const { description, vm_id, hostname, quantity, unit, unit_price, from_at, to_at, proration } = line;
  return {
    description,
    vm_id,
    hostname,
    quantity,
    unit,
    unit_price,
    price_hourly: line.price_hourly ?? null,
    amount_minor: toJsonInteger(line.amount_minor),
    tax_rate: plainRate(line.tax_rate),
    tax_category: line.tax_category,
    tax_minor: toJsonInteger(line.tax_minor),
    from_at,
    to_at,
    proration,
  };
}

export const exampleInvoice = {
  id: 'inv_01ke1y3m8r3k6m9p2s5v8y1b4e',
  type: 'invoice',
  number: null,
  status: 'draft',
  period_start_at: '2026-01-01T00:00:00.000Z',
  period_end_at: '2026-02-01T00:00:00.000Z',
  subtotal_minor: 333,
  tax_minor: 66,
  total_minor: 399,
  currency: 'EUR',
  issued_at: null,
  paid_at: null,
  seller: null,
  buyer: null,
  order_reference: null,
  corrects: [],
};

export const exampleTax = {
  tax_rate: '0.2',
  tax_category: 'standard',
  tax_reason: null,
  subtotal_minor: 333,
  tax_minor: 66,
};

export const exampleInvoiceLine = {
  description: 'Shared S1',
  vm_id: 'vm_01ke1y3m8q7n5k2x4z9b1c3d6g',
  hostname: 'web-1',
  quantity: 1,
  unit: 'month',
  unit_price: '3.99',
  price_hourly: null,
  amount_minor: 399,
  tax_rate: '0.2',
  tax_category: 'standard',
  tax_minor: 66,
  from_at: '2026-01-05T09:30:00.000Z',
  to_at: '2026-02-05T09:30:00.000Z',
  proration: false,
};
