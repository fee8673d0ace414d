import type { Database } from '../db/database.ts';
import { refundsToRetry } from '../db/queries/top-up-refunds.ts';
import { payableReversals } from '../db/queries/top-up-reversals.ts';
import { expireTopUps, systemFindTopUp, topUpsToRetry } from '../db/queries/top-ups.ts';
import type { Failures } from '../platform/failures.ts';
import { inBatches } from '../platform/in-batches.ts';
import { type ChargeParts, retryCharge, topUpByItself } from './auto-top-up.ts';
import { attemptRefund } from './refund-top-up.ts';
import { collectReversal, type ReversalParts } from './reversals.ts';

/** Charges and refunds asked about in one round. */
const BATCH = 50;

/** What payments need now and then: wallets are topped up, and what is not decided is decided. */
export async function lookAfterPayments(parts: ChargeParts, failures: Failures): Promise<void> {
  const { db, clock } = parts;
  const now = clock.now();
  await inBatches((limit) => expireTopUps(db, now, limit));
  for (const topUp of await topUpsToRetry(db, now, BATCH))
    await failures.attempt('retry_charges', () => retryCharge(parts, topUp), topUp.id);
  for (const refund of await refundsToRetry(db, now, BATCH)) {
    const again = async () => attemptRefund(parts, (await systemFindTopUp(db, refund.top_up_id))!, refund);
    await failures.attempt('retry_refunds', again, refund.id);
  }
  await collectReversals(parts, failures);
  await topUpByItself(parts, failures);
}

/** Takes what is owed for payments that were taken back from the wallets that cover it by now. */
export async function collectReversals(
  parts: ReversalParts & { db: Database },
  failures: Failures,
): Promise<void> {
  const { db } = parts;
  for (const owed of await payableReversals(db, BATCH))
    await failures.attempt(
      'collect_reversals',
      () => db.transaction((tx) => collectReversal(tx, parts, owed)),
      owed.id,
    );
}
