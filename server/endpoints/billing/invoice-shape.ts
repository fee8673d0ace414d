import type { InvoiceLineRow, InvoiceView } from '../../db/queries/invoices.ts';
import { invoiceAmounts, invoiceNumber } from '../../domain/billing/invoice-view.ts';
import { toJsonInteger } from '../../domain/billing/money.ts';
import { Type } from '../../platform/schema.ts';
import { Currency, Decimal, Enum, Id, Minor, Nullable, Shape, Timestamp } from '../schemas.ts';

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void'] as const;

const invoiceFields = {
  id: Id('inv'),
  number: Type.String({
    description: 'Running number in the series of the account',
    examples: ['C2D0GH-0007'],
  }),
  status: Enum(INVOICE_STATUSES, { description: 'A draft still collects the charges of its month' }),
  period_start_at: Timestamp('First instant of the month'),
  period_end_at: Timestamp('First instant of the next month'),
  subtotal_minor: Minor('Total without tax'),
  tax_minor: Minor('Tax contained in the total'),
  total_minor: Minor('Sum of the lines, tax included'),
  currency: Currency,
  issued_at: Nullable(Timestamp('Null while it is a draft')),
  paid_at: Nullable(Timestamp()),
};

const InvoiceLineShape = Shape({
  description: Type.String(),
  vm_id: Nullable(Id('vm')),
  quantity: Type.Integer(),
  unit: Type.String({ examples: ['month'] }),
  unit_price: Decimal('Price of one unit'),
  amount_minor: Minor('Tax included; a credit is negative'),
  from_at: Timestamp('Start of what is charged'),
  to_at: Timestamp('End of what is charged'),
  proration: Type.Boolean({
    description: 'The amount is the share of the unit that falls between the two instants',
  }),
});

export const InvoiceShape = Shape(invoiceFields, {
  $id: 'Invoice',
  description: 'All charges of a calendar month',
});
export const InvoiceWithLinesShape = Shape(
  {
    ...invoiceFields,
    lines: Type.Array(InvoiceLineShape, { description: 'In the order in which they were charged' }),
  },
  { $id: 'InvoiceWithLines', description: 'All charges of a calendar month, one by one' },
);

export function presentInvoice(invoice: InvoiceView) {
  const { subtotal_minor, tax_minor, total_minor } = invoiceAmounts(invoice);
  return {
    id: invoice.id,
    number: invoiceNumber(invoice),
    status: invoice.status,
    period_start_at: invoice.period_start_at,
    period_end_at: invoice.period_end_at,
    subtotal_minor: toJsonInteger(subtotal_minor),
    tax_minor: toJsonInteger(tax_minor),
    total_minor: toJsonInteger(total_minor),
    currency: invoice.currency,
    issued_at: invoice.issued_at,
    paid_at: invoice.paid_at,
  };
}

export function presentInvoiceLine(line: InvoiceLineRow) {
  const { description, vm_id, quantity, unit, unit_price, from_at, to_at, proration } = line;
  const amount_minor = toJsonInteger(line.amount_minor);
  return { description, vm_id, quantity, unit, unit_price, amount_minor, from_at, to_at, proration };
}

export const exampleInvoice = {
  id: 'inv_01ke1y3m8r3k6m9p2s5v8y1b4e',
  number: 'C2D0GH-0007',
  status: 'draft',
  period_start_at: '2026-01-01T00:00:00.000Z',
  period_end_at: '2026-02-01T00:00:00.000Z',
  subtotal_minor: 333,
  tax_minor: 66,
  total_minor: 399,
  currency: 'EUR',
  issued_at: null,
  paid_at: null,
};

export const exampleInvoiceLine = {
  description: 'Shared S1',
  vm_id: 'vm_01ke1y3m8q7n5k2x4z9b1c3d6g',
  quantity: 1,
  unit: 'month',
  unit_price: '3.99',
  amount_minor: 399,
  from_at: '2026-01-05T09:30:00.000Z',
  to_at: '2026-02-05T09:30:00.000Z',
  proration: false,
};
