import { findInvoice, invoiceLines } from '../../db/queries/invoices.ts';
import { notFound } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';
import { endpoint } from '../endpoint.ts';
import {
  exampleInvoice,
  exampleInvoiceLine,
  InvoiceWithLinesShape,
  presentInvoice,
  presentInvoiceLine,
} from './invoice-shape.ts';

export const getInvoice = endpoint({
  operation: 'getInvoice',
  method: 'GET',
  path: '/v1/billing/invoices/{id}',
  scope: 'billing:read',
  tag: 'billing',
  summary: 'Get one invoice with its lines',
  description:
    'Prices include tax: the total is the sum of the lines, and tax is the share of it that the tax rate says.',
  params: Type.Object({ id: Type.String({ description: 'Invoice identifier' }) }),
  data: InvoiceWithLinesShape,
  errors: [],
  example: { ...exampleInvoice, lines: [exampleInvoiceLine] },
  async load({ caller, params, db }) {
    const invoice = await findInvoice(db, caller.accountId, params.id);
    if (!invoice) throw notFound();
    return invoice;
  },
  async handle({ resource: invoice, db }) {
    const lines = await invoiceLines(db, invoice);
    return { data: { ...presentInvoice(invoice), lines: lines.map(presentInvoiceLine) } };
  },
});
