import type { Database } from '../../db/database.ts';
import { accountsWithEndedPromo } from '../../db/queries/money/promo-credits.ts';
import { endPromo } from '../../domain/billing/promo-credits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Failures } from '../../platform/failures.ts';

interface PromoServices {
  clock: Clock;
  db: Database;
}

/** Accounts per query. */
const BATCH = 500;

/**
 * Ends promotional credit that has expired, one account at a time; an account that fails does not hold up the others.
 * May run at any time, on several nodes at once.
 */
export async function endPromoCredits({ db, clock }: PromoServices, failures: Failures): Promise<void> {
  const now = clock.now();
  let last = '';
  for (;;) {
    const accounts = await accountsWithEndedPromo(db, now, last, BATCH);
    for (const id of accounts)
      await failures.attempt('end_promo', () => db.transaction((tx) => endPromo(tx, id, now)), id);
    if (accounts.length < BATCH) return;
    last = accounts.at(-1)!;
  }
}
