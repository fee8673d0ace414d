import { answerSeries } from '../../../domain/billing/answer-series.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { presentSeries, SeriesShape } from './series-shape.ts';

const Last = (what: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 1e15,
    description: `The number of the last ${what} that may have been issued`,
    examples: [42],
  });

export const setSeries = endpoint({
  audience: 'operator',
  operation: 'setSeries',
  method: 'POST',
  path: '/books/series',
  tag: 'money',
  summary: 'Report which documents may have been issued',
  description:
    'After an older copy of the database was restored: documents continue after these numbers, and the numbers in between are recorded as a gap. If they equal the last numbers in the books, nothing was issued in the meantime.',
  body: Input({ invoice: Last('invoice'), credit_note: Last('credit note') }),
  data: Type.Array(SeriesShape),
  errors: [],
  async handle({ body: { invoice, credit_note }, actor, services: { db, clock, logger } }) {
    const last = { invoice: BigInt(invoice), credit_note: BigInt(credit_note) };
    await db.transaction((tx) => answerSeries(tx, clock, last, actor));
    logger.info({ invoice, credit_note, actor }, 'documents continue after these numbers');
    return { data: await presentSeries(db) };
  },
});
