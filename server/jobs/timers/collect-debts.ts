import type { Database } from '../../db/database.ts';
import { accountsToCollect } from '../../db/queries/money/top-up-reversals.ts';
import { collectDebt } from '../../domain/accounts/book-payment.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Failures } from '../../platform/failures.ts';

/** Accounts per query. */
const BATCH = 500;

/**
 * Collects debts from wallets that have money by now. A payment is used for the debt at once; this covers money that
 * reached a wallet in another way, such as the refund of a VM.
 */
export async function collectDebts(
  { db, clock }: { db: Database; clock: Clock },
  failures: Failures,
): Promise<void> {
  for (let after = ''; ; ) {
    const accounts = await accountsToCollect(db, after, BATCH);
    for (const id of accounts)
      await failures.attempt(
        'collect_debts',
        () => db.transaction(async (tx) => void (await collectDebt(tx, clock, id))),
        id,
      );
    if (accounts.length < BATCH) return;
    after = accounts.at(-1)!;
  }
}
