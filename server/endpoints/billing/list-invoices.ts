import { listInvoices as queryInvoices } from '../../db/queries/invoices.ts';
import { Type } from '../../platform/schema.ts';
import { endpoint } from '../endpoint.ts';
import { InstantQuery, instantFrom } from '../instant-query.ts';
import { pageFrom, paginated } from '../page.ts';
import { Enum, PageQuery } from '../schemas.ts';
import { exampleInvoice, INVOICE_STATUSES, InvoiceShape, presentInvoice } from './invoice-shape.ts';

export const listInvoices = endpoint({
  operation: 'listInvoices',
  method: 'GET',
  path: '/v1/billing/invoices',
  scope: 'billing:read',
  tag: 'billing',
  summary: 'List invoices',
  description:
    'Newest first, one for each calendar month (UTC) with charges. Prices include tax: the total is the sum of the ' +
    'lines, and tax is the share of it that the tax rate says.',
  query: Type.Object({
    ...PageQuery,
    status: Type.Optional(Enum(INVOICE_STATUSES, { description: 'Only invoices in this state' })),
    from: Type.Optional(InstantQuery('Only invoices whose period starts at this instant or later')),
    to: Type.Optional(InstantQuery('Only invoices whose period starts before this instant')),
  }),
  data: Type.Array(InvoiceShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [exampleInvoice],
  async handle({ caller, query, db }) {
    const page = pageFrom(query);
    const filter = { status: query.status, from: instantFrom(query.from), to: instantFrom(query.to) };
    return paginated(await queryInvoices(db, caller.accountId, filter, page), page, presentInvoice);
  },
});
