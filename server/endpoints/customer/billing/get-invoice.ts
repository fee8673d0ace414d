import { moneyRefusal } from '../../../db/known-books.ts';
import { findInvoice, invoiceLines } from '../../../db/queries/money/invoices.ts';
import type { DocumentFormat } from '../../../documents/messages.ts';
import { invoiceDocument } from '../../../domain/billing/invoice-document.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { PathId } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import {
  exampleInvoice,
  exampleInvoiceLine,
  exampleTax,
  InvoiceWithLinesShape,
  presentInvoiceWithLines,
} from './invoice-shape.ts';

const FORMATS: Record<string, DocumentFormat> = { 'application/pdf': 'pdf', 'application/xml': 'xml' };

export const getInvoice = endpoint({
  audience: 'customer',
  operation: 'getInvoice',
  method: 'GET',
  path: '/v1/billing/invoices/{id}',
  scope: 'billing:read',
  tag: 'billing',
  summary: 'Get one invoice with its lines',
  description:
    'Prices include tax: the total is the sum of the lines. The tax is computed by rate, on the sum of the lines that were sold ' +
    'at it, and rounded once; each line shows its share. ' +
    'With `Accept: application/pdf` an issued invoice is a PDF/A-3 file with its Factur-X e-invoice attached, with ' +
    '`Accept: application/xml` that e-invoice (EN 16931, CII) alone.',
  params: Type.Object({ id: PathId('inv', 'Invoice identifier') }),
  data: InvoiceWithLinesShape,
  representations: ['application/pdf', 'application/xml'],
  errors: ['document_unavailable'],
  example: { ...exampleInvoice, taxes: [exampleTax], lines: [exampleInvoiceLine] },
  async load({ caller, params, db }) {
    const invoice = await findInvoice(db, caller.accountId, params.id);
    if (!invoice) throw notFound();
    return invoice;
  },
  async handle({ resource: invoice, db, services, representation }) {
    const lines = await invoiceLines(db, invoice);
    const format = FORMATS[representation];
    if (format) {
      const paused = await moneyRefusal(services.db, services.catalog.currency);
      if (paused) throw paused;
      const bytes = await services.documents.render(
        invoice.account_id,
        invoiceDocument(invoice, lines),
        format,
      );
      return { file: { bytes, type: representation, name: `${invoice.number}.${format}` } };
    }
    return { data: presentInvoiceWithLines(invoice, lines) };
  },
});
