import type { Queryable } from '../../../db/database.ts';
import type { InvoiceType } from '../../../db/queries/money/invoices.ts';
import { listSeries, listSeriesGaps, SERIES_QUESTIONS } from '../../../db/queries/money/series.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Enum, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

const TYPES: InvoiceType[] = ['invoice', 'credit_note'];

const GapShape = Shape(
  {
    first: Type.Integer({ examples: [41] }),
    last: Type.Integer({ examples: [42] }),
    recorded_at: Timestamp(),
    recorded_by: Type.String({ description: 'Operator who reported that they may have been issued' }),
  },
  { $id: 'SeriesGap', description: 'Numbers without a document in the books' },
);

export const SeriesShape = Shape(
  {
    type: Enum(TYPES),
    last: Type.Integer({ description: 'The last number issued' }),
    asked_at: Nullable(
      Timestamp('Time since which no documents are issued because the last number must be reported'),
    ),
    asked_because: Nullable(
      Enum(SERIES_QUESTIONS, {
        description:
          '`moved_database`: the books are in another database than they were. `lost_numbers`: a node has seen higher numbers. `lost_payment`: a payment is not in the books',
      }),
    ),
    at_least: Type.Integer({ description: 'Lowest possible answer: this number has already been issued' }),
    gaps: Type.Array(GapShape),
  },
  { $id: 'Series', description: 'The number series of one type of document' },
);

export async function presentSeries(db: Queryable) {
  const gaps = await listSeriesGaps(db);
  return (await listSeries(db)).map((series) => ({
    ...series,
    last: toJsonInteger(series.last),
    at_least: toJsonInteger(series.at_least > series.last ? series.at_least : series.last),
    gaps: gaps
      .filter(({ type }) => type === series.type)
      .map(({ first, last, recorded_at, recorded_by }) => ({
        ...{ first: toJsonInteger(first), last: toJsonInteger(last) },
        ...{ recorded_at, recorded_by },
      })),
  }));
}
