import { exportBookings as bookingsOf, EXPORT_FORMATS } from '../../../domain/billing/bookings/export.ts';
import { Enum, Input } from '../../../http/schemas.ts';
import { operatorEndpoint } from '../../../operator/endpoint.ts';
import { Type } from '../../../platform/schema.ts';

const Month = Type.String({
  pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
  'x-expected': 'a year and a month, such as 2026-01',
  examples: ['2026-01'],
});

export const exportBookings = operatorEndpoint({
  operation: 'exportBookings',
  method: 'GET',
  path: '/bookings',
  money: true,
  tag: 'money',
  summary: 'Read the journal of a month for bookkeeping',
  query: Input({
    month: Month,
    format: Enum(EXPORT_FORMATS),
    part: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'Which file of a month that has too many entries for one',
      }),
    ),
  }),
  file: 'text/csv',
  data: Type.String({ description: 'Lines in the columns of the format' }),
  errors: ['invalid_state'],
  handle: async ({ query, services }) => ({ content: await bookingsOf(services, query) }),
});
