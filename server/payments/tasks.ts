import { refundsToRetry } from '../db/queries/top-up-refunds.ts';
import { expireTopUps, systemFindTopUp, topUpsToRetry } from '../db/queries/top-ups.ts';
import type { Failures } from '../platform/failures.ts';
import { inBatches } from '../platform/in-batches.ts';
import { type ChargeParts, retryCharge, topUpByItself } from './auto-top-up.ts';
import { attemptRefund } from './refund-top-up.ts';

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
  await topUpByItself(parts, failures);
}
