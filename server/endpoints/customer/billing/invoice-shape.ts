import type { InvoiceLineRow, InvoiceView } from '../../../db/queries/invoices.ts';
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
    country: Nullable(Type.String({ description: 'ISO 3166-1 alpha-2; null where it was not known' })),
    vat_id: Nullable(Type.String()),
    tax_number: Nullable(Type.String()),
    registration_id: Nullable(Type.String({ description: 'In the trade register' })),
    email: Nullable(Type.String()),
  },
  { $id: 'InvoiceParty', description: 'Who sells or buys, as it was when the invoice was issued' },
);

const taxFields = {
  tax_category: Enum(TAX_CATEGORIES, {
    $id: 'TaxCategory',
    description:
      "How it is taxed: at the rate, at a rate of nothing, exempt, by the buyer (reverse charge), or not in the seller's tax area",
  }),
  tax_reason: Nullable(Type.String({ description: 'Why there is no tax; null where there is' })),
};

const invoiceFields = {
  id: Id('inv'),
  type: Enum(INVOICE_TYPES, {
    $id: 'InvoiceType',
    description: 'A credit note collects what was given back; its amounts are negative',
  }),
  number: Nullable(
    Type.String({
      description: "Running number in the seller's series of the type; null while it is a draft",
      examples: ['INV-000007'],
    }),
  ),
  status: Enum(INVOICE_STATUSES, {
    $id: 'InvoiceStatus',
    description: 'A draft still collects the orders of its month; what is issued never changes',
  }),
  period_start_at: Timestamp('First instant of the month'),
  period_end_at: Timestamp('First instant of the next month'),
  subtotal_minor: Minor('Total without tax'),
  tax_minor: Minor('Tax contained in the total'),
  total_minor: Minor('Sum of the lines, tax included'),
  currency: Currency,
  issued_at: Nullable(Timestamp('Null while it is a draft')),
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
        number: Nullable(Type.String({ description: 'Null while it is a draft' })),
      },
      { $id: 'CorrectedInvoice' },
    ),
    { description: 'The invoices that a credit note corrects; empty for an invoice' },
  ),
};

const TaxRate = Type.String({
  pattern: '^0(\\.[0-9]{1,6})?$',
  description: 'Share of tax, as it was when the line was sold: "0.2" for 20 %',
  examples: ['0.2'],
});

const TaxShape = Shape(
  {
    tax_rate: TaxRate,
    ...taxFields,
    subtotal_minor: Minor('Sum of the lines at this rate, without tax'),
    tax_minor: Minor('Tax in the sum of the lines at this rate, rounded once'),
  },
  { $id: 'InvoiceTax', description: 'What an invoice comes to at one rate of tax' },
);

const InvoiceLineShape = Shape(
  {
    description: Type.String(),
    vm_id: Nullable(Id('vm')),
    hostname: Nullable(
      Type.String({
        description:
          'Of the VM when the line was sold; null if the line is about no VM, or is older than this field',
        examples: ['web-1'],
      }),
    ),
    quantity: Type.Integer(),
    unit: Type.String({ examples: ['month', 'hour', 'add_on'] }),
    unit_price: Decimal('Price of one unit'),
    price_hourly: Nullable(
      Decimal('What an hour costs of a month that is billed by the hour; null of any other line'),
    ),
    amount_minor: Minor('Tax included; a credit is negative'),
    tax_rate: TaxRate,
    tax_category: taxFields.tax_category,
    tax_minor: Minor("The line's share of the tax at its rate"),
    from_at: Timestamp('Start of the service period'),
    to_at: Timestamp('End of the service period'),
    proration: Type.Boolean({
      description: 'The amount is the share of the unit that falls between the two instants',
    }),
  },
  { $id: 'InvoiceLine' },
);

export const InvoiceShape = Shape(invoiceFields, {
  $id: 'Invoice',
  description: 'What the orders of a calendar month charged, or a credit note of what others gave back',
});
export const InvoiceWithLinesShape = Shape(
  {
    ...invoiceFields,
    taxes: Type.Array(TaxShape, { description: 'The amounts by tax rate, the lowest rate first' }),
    lines: Type.Array(InvoiceLineShape, { description: 'In the order in which they were charged' }),
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
