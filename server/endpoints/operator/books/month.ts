import { Type } from '../../../platform/schema.ts';

/** A calendar month in a query, in UTC. */
export const Month = Type.String({
  pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
  'x-expected': 'a year and a month, such as 2026-01',
  examples: ['2026-01'],
});
