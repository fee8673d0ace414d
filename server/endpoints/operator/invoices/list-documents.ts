import { type InvoiceView, listInvoicesOfMonth } from '../../../db/queries/money/invoices.ts';
import { monthStart } from '../../../domain/billing/bookings/export.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Id, Input, PageQuery, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { InvoiceShape, presentInvoice } from '../../customer/billing/invoice-shape.ts';
import { Month } from '../books/month.ts';

export const listDocuments = endpoint({
  audience: 'operator',
  operation: 'listDocuments',
  method: 'GET',
  path: '/documents',
  tag: 'money',
  summary: 'List the invoices and credit notes of all accounts for a month, newest first',
  query: Input({ month: Month, ...PageQuery }),
  data: Type.Array(
    Shape(
      { account_id: Id('acc'), ...InvoiceShape.properties },
      { $id: 'MonthDocument', description: 'An invoice or a credit note of any account, without its lines' },
    ),
  ),
  paginated: true,
  errors: [],
  async handle({ query, services: { db } }) {
    const page = pageFrom(query);
    return paginated(await listInvoicesOfMonth(db, monthStart(query.month), page), page, present);
  },
});

const present = (invoice: InvoiceView) => ({ account_id: invoice.account_id, ...presentInvoice(invoice) });
