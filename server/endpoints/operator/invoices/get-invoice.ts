import { endpoint } from '../../../http/endpoint.ts';
import { Id, Shape } from '../../../http/schemas.ts';
import { InvoiceWithLinesShape, presentInvoiceWithLines } from '../../customer/billing/invoice-shape.ts';
import { InvoiceParams, loadInvoice } from './load-invoice.ts';

export const getInvoice = endpoint({
  audience: 'operator',
  operation: 'getInvoice',
  method: 'GET',
  path: '/invoices/{id}',
  tag: 'money',
  summary: 'Get an invoice or a credit note with its lines',
  params: InvoiceParams,
  data: Shape(
    { account_id: Id('acc'), ...InvoiceWithLinesShape.properties },
    { $id: 'Invoice', description: 'An invoice or a credit note as shown to its account' },
  ),
  errors: [],
  async handle({ params: { id }, services: { db } }) {
    const { invoice, lines } = await loadInvoice(db, id);
    const { account_id } = invoice;
    return { data: { account_id, ...presentInvoiceWithLines(invoice, lines) } };
  },
});
