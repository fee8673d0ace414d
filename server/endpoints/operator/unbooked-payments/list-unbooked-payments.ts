import {
  listUnbookedPayments as query,
  UNBOOKED_STATUSES,
} from '../../../db/queries/money/unbooked-payments.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { presentUnbookedPayment, UnbookedPaymentShape } from './unbooked-payment-shape.ts';

export const listUnbookedPayments = endpoint({
  audience: 'operator',
  operation: 'listUnbookedPayments',
  method: 'GET',
  path: '/unbooked-payments',
  tag: 'money',
  summary: 'List the payments that a provider has but the books do not',
  description:
    'Checked after each start and once a day. Such payments exist after an older copy of the database was restored.',
  query: Input({ ...PageQuery, status: Type.Optional(Enum(UNBOOKED_STATUSES)) }),
  data: Type.Array(UnbookedPaymentShape),
  paginated: true,
  errors: [],
  async handle({ query: asked, services: { db } }) {
    const page = pageFrom(asked);
    return paginated(await query(db, asked.status, page), page, presentUnbookedPayment);
  },
});
