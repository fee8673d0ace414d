import { Type } from '../../../platform/schema.ts';

/**
 * An instant given by a caller. Stricter than `date-time`, which allows values that JavaScript (a leap second, an
 * offset without minutes) or the database (the year 0) does not accept.
 */
export const InstantInput = (description: string, example = '2026-01-31T12:00:00Z') =>
  Type.String({
    format: 'date-time',
    maxLength: 64,
    pattern: '^[12]\\d{3}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$',
    'x-expected': 'a time with its offset, such as 2026-01-31T12:00:00Z',
    description,
    examples: [example],
  });

/** Parses a parameter with that schema. */
export const instantFrom = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
