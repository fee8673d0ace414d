import { listInvoices as queryInvoices } from '../../../db/queries/money/invoices.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { InstantInput, instantFrom } from '../shared/instant-query.ts';
import {
  exampleInvoice,
  INVOICE_STATUSES,
  INVOICE_TYPES,
  InvoiceShape,
  presentInvoice,
} from './invoice-shape.ts';

export const listInvoices = endpoint({
  audience: 'customer',
  operation: 'listInvoices',
  method: 'GET',
  path: '/v1/billing/invoices',
  scope: 'billing:read',
  tag: 'billing',
  summary: 'List invoices',
  description:
    'Newest first. The charges of a calendar month (UTC) form an invoice, its refunds a credit ' +
    'note with negative amounts, so that the sum of all totals is the net. Prices include tax.',
  query: Type.Object({
    ...PageQuery,
    status: Type.Optional(
      Enum(INVOICE_STATUSES, { $id: 'InvoiceStatus', description: 'Only invoices with this status' }),
    ),
    type: Type.Optional(
      Enum(INVOICE_TYPES, { $id: 'InvoiceType', description: 'Only documents of this type' }),
    ),
    from: Type.Optional(InstantInput('Only invoices whose period starts at this time or later')),
    to: Type.Optional(InstantInput('Only invoices whose period starts before this time')),
  }),
  data: Type.Array(InvoiceShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [exampleInvoice],
  async handle({ caller, query, db }) {
    const page = pageFrom(query);
    const filter = {
      status: query.status,
      type: query.type,
      from: instantFrom(query.from),
      to: instantFrom(query.to),
    };
    return paginated(await queryInvoices(db, caller.accountId, filter, page), page, presentInvoice);
  },
});
