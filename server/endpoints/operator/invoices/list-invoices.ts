import { listInvoices as queryInvoices } from '../../../db/queries/money/invoices.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { InvoiceShape, presentInvoice } from '../../customer/billing/invoice-shape.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';

export const listInvoices = endpoint({
  audience: 'operator',
  operation: 'listInvoices',
  method: 'GET',
  path: '/accounts/{id}/invoices',
  tag: 'money',
  summary: 'List the invoices and credit notes of an account, newest first',
  params: AccountParams,
  query: Input(PageQuery),
  data: Type.Array(
    Shape(InvoiceShape.properties, {
      $id: 'ListedInvoice',
      description: 'An invoice or a credit note without its lines',
    }),
  ),
  paginated: true,
  errors: [],
  async handle({ params: { id }, query, services: { db } }) {
    await requireAccount(db, id);
    const page = pageFrom(query);
    return paginated(await queryInvoices(db, id, {}, page), page, presentInvoice);
  },
});
