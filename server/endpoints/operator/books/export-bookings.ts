import { exportBookings as bookingsOf, EXPORT_FORMATS } from '../../../domain/billing/bookings/export.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { Month } from './month.ts';

export const exportBookings = endpoint({
  audience: 'operator',
  operation: 'exportBookings',
  method: 'GET',
  path: '/bookings',
  money: true,
  tag: 'money',
  summary: 'Export the journal of a month for bookkeeping',
  query: Input({
    month: Month,
    format: Enum(EXPORT_FORMATS),
    part: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'Number of the file, for a month with too many entries for a single file',
      }),
    ),
  }),
  file: 'text/csv',
  data: Type.String({ description: 'Lines in the columns of the format' }),
  errors: ['invalid_state'],
  handle: async ({ query, services }) => ({ content: await bookingsOf(services, query) }),
});
