import type { Transaction } from '../../db/database.ts';
import type { InvoiceType } from '../../db/queries/money/invoices.ts';
import { continueSeries, lockSeries } from '../../db/queries/money/series.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';

/** A bigger gap is a typo: no one loses that many documents at once. */
const MOST_LOST = 1_000_000n;

/**
 * Continues the series after the numbers that an operator says may have been issued, so that no number is given twice.
 * Records the numbers in between as a gap, with the operator's name.
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
      throw invalidField(type, 'too_small', `must be at least ${least}: that number has already been issued`);
    if (last[type] > series.last + MOST_LOST)
      throw invalidField(type, 'too_large', `must be at most ${series.last + MOST_LOST}`);
    await continueSeries(tx, series, { last: last[type], at: clock.now(), by: actor });
  }
}
