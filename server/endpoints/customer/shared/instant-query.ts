import { Type } from '../../../platform/schema.ts';

/**
 * An instant that a caller names. Narrower than `date-time`, which lets through what is no instant to
 * JavaScript (a leap second, an offset without minutes) or to the database (the year 0).
 */
export const InstantInput = (description: string, example = '2026-01-31T12:00:00Z') =>
  Type.String({
    format: 'date-time',
    maxLength: 64,
    pattern: '^[12]\\d{3}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$',
    'x-expected': 'an instant with its offset, such as 2026-01-31T12:00:00Z',
    description,
    examples: [example],
  });

/** The instant that a parameter of that schema names. */
export const instantFrom = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
