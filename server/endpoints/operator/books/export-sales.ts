import { exportSales as salesOf } from '../../../domain/billing/bookings/export.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { Month } from './month.ts';

export const exportSales = endpoint({
  audience: 'operator',
  operation: 'exportSales',
  method: 'GET',
  path: '/sales',
  money: true,
  tag: 'money',
  summary: 'Export the sales of a month by document, rate, country, tax category and VAT id, as CSV',
  query: Input({ month: Month }),
  file: 'text/csv',
  data: Type.String({ description: 'Lines with headings' }),
  errors: [],
  handle: async ({ query: { month }, services }) => ({ content: salesOf(services, month) }),
});
