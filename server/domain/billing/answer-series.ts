import type { Transaction } from '../../db/database.ts';
import type { InvoiceType } from '../../db/queries/invoices.ts';
import { continueSeries, lockSeries } from '../../db/queries/series.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';

/** More numbers than this are a slip of the hand: nobody loses so many documents at once. */
const MOST_LOST = 1_000_000n;

/**
 * Goes on with numbers after those that an operator says may have been issued: none is given twice. The numbers in between
 * are recorded as a gap, with who said so.
 */
export async function answerSeries(
  tx: Transaction,
  clock: Clock,
  last: Record<InvoiceType, bigint>,
  actor: string,
): Promise<void> {
  for (const series of await lockSeries(tx)) {
    const { type } = series;
    const least = series.at_least > series.last ? series.at_least : series.last;
    if (last[type] < least)
      throw invalidField(
        type,
        'too_small',
        `must be at least ${least}: that one is known to have been issued`,
      );
    if (last[type] > series.last + MOST_LOST)
      throw invalidField(type, 'too_large', `must be at most ${series.last + MOST_LOST}`);
    await continueSeries(tx, series, { last: last[type], at: clock.now(), by: actor });
  }
}
