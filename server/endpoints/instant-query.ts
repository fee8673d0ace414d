import { Type } from '../platform/schema.ts';

/**
 * An instant as a query parameter. Narrower than `date-time`, which lets through what is no instant to
 * JavaScript (a leap second, an offset without minutes) or to the database (the year 0).
 */
export const InstantQuery = (description: string) =>
  Type.String({
    format: 'date-time',
    pattern: '^[12]\\d{3}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:[0-5]\\d(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$',
    description,
    examples: ['2026-01-31T12:00:00Z'],
  });

/** The instant that a parameter of that schema names. */
export const instantFrom = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
