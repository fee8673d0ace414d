import { currencyExponent } from '../../../shared/currencies.ts';
import type { Queryable } from '../../db/database.ts';
import { areUncounted, type BooksRow, findBooks, recordBooks } from '../../db/queries/money/books.ts';
import type { Clock } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config-error.ts';
import { ApiError, invalidField } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logging.ts';

interface Sold {
  /** ISO 4217. */
  currency: string;
}

/**
 * Throws {@link ConfigError} if the books count the catalog's currency with a different number of decimals than this
 * release: every amount would be worth a hundredth, or a hundred times as much. If the number is unknown, as after an
 * upgrade of books whose decimals the runtime chose, the log says what to do, and money operations answer 503 until it
 * is done.
 */
export async function requireExponent(db: Queryable, { currency }: Sold, logger: Logger): Promise<void> {
  const books = await findBooks(db, currency);
  const exponent = currencyExponent(currency);
  if (books && books.exponent !== exponent)
    throw new ConfigError([
      `catalog: this release counts ${currency} with ${decimals(exponent)} (ISO 4217), but the books were made with ${decimals(books.exponent)}: every amount would change its value. Start the release that made them, and see docs/billing.md`,
    ]);
  if (!(await areUncounted(db, currency))) return;
  logger.error(
    { currency, exponent },
    'the number of decimals of the amounts in the books is unknown: money operations return 503 until you run `vaubanctl books exponent`',
  );
}

const decimals = (exponent: number) => (exponent === 1 ? '1 decimal' : `${exponent || 'no'} decimals`);

/** An operator's answer to how many decimals the amounts in the books have. */
export interface Answer {
  exponent: number;
  /** The operator's name, as reported by the kernel. */
  actor: string;
}

/**
 * Records the operator's answer with their name. Refuses an answer that this release could not work with: booked
 * amounts are never changed, so books with other decimals cannot be continued.
 */
export async function answerExponent(
  db: Queryable,
  clock: Clock,
  { currency }: Sold,
  { exponent, actor }: Answer,
): Promise<BooksRow> {
  const needed = currencyExponent(currency);
  const before = await findBooks(db, currency);
  if (before) {
    if (before.exponent === exponent) return before;
    throw new ApiError('invalid_state', `The books count ${currency} with ${decimals(before.exponent)}.`, {
      exponent: before.exponent,
    });
  }
  if (exponent !== needed)
    throw invalidField(
      'exponent',
      'not_supported',
      `is ${exponent}, but this release counts ${currency} with ${decimals(needed)} (ISO 4217) and never changes booked amounts: money operations stay paused. docs/billing.md explains how to continue`,
    );
  await recordBooks(db, { currency, exponent, recorded_at: clock.now(), recorded_by: actor });
  return (await findBooks(db, currency))!;
}
