import { invoiceDocument } from '../../../domain/billing/invoice-document.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { InvoiceParams, loadInvoice } from './load-invoice.ts';

export const getInvoiceDocument = endpoint({
  audience: 'operator',
  operation: 'getInvoiceDocument',
  method: 'GET',
  path: '/invoices/{id}/document',
  money: true,
  tag: 'money',
  summary: 'Get an issued invoice as PDF, or its e-invoice as XML',
  params: InvoiceParams,
  query: Input({ format: Enum(['pdf', 'xml']) }),
  data: Shape(
    {
      name: Type.String({ description: 'Media type of the file' }),
      base64: Type.String({ contentEncoding: 'base64' }),
    },
    { $id: 'InvoiceDocument', description: 'A file' },
  ),
  errors: ['document_unavailable'],
  async handle({ params: { id }, query: { format }, services: { db, documents } }) {
    const { invoice, lines } = await loadInvoice(db, id);
    const bytes = await documents.render(invoice.account_id, invoiceDocument(invoice, lines), format);
    return { data: { name: `${invoice.number}.${format}`, base64: bytes.toString('base64') } };
  },
});
