import { ApiError } from '../platform/errors.ts';
import type { Database } from './database.ts';
import { areUncounted } from './queries/money/books.ts';

/** Seconds after which a caller may retry: an operator has to answer first. */
const RETRY_SECONDS = 300;

/** Currencies known to be counted, by database. Once counted, a currency stays counted. */
const known = new WeakMap<Database, Set<string>>();

/**
 * Returns why no money may move in `currency`: no one has confirmed yet how many decimals the amounts in the books
 * have, so every price, charge and document might be off by a factor of a hundred. Returns undefined once that is
 * confirmed. Queries the database outside of any transaction, and never again after the confirmation.
 */
export async function moneyRefusal(db: Database, currency: string): Promise<ApiError | undefined> {
  const counted = known.get(db) ?? new Set();
  if (counted.has(currency)) return undefined;
  if (!(await areUncounted(db, currency))) {
    known.set(db, counted.add(currency));
    return undefined;
  }
  return new ApiError(
    'service_unavailable',
    'Payments and charges are paused until the operator has confirmed how the books count their currency. Nothing was charged.',
    { retry_after_seconds: RETRY_SECONDS },
    `run vaubanctl books exponent: it is unknown how many decimals ${currency} has in these books`,
  );
}
