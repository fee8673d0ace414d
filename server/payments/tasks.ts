import { refundsToRetry } from '../db/queries/money/top-up-refunds.ts';
import {
  expireTopUps,
  systemFindTopUp,
  topUpsToRecheck,
  topUpsToRetry,
} from '../db/queries/money/top-ups.ts';
import { comparedUntil, newestTopUpAt, noteCompared } from '../db/queries/money/unbooked-payments.ts';
import type { Failures } from '../platform/failures.ts';
import { inBatches } from '../platform/in-batches.ts';
import { type ChargeParts, RETRY_MS, retryCharge, topUpByItself } from './auto-top-up.ts';
import { RECHECK_MS } from './processing.ts';
import { attemptRefund, RETRY_MS as REFUND_RETRY_MS } from './refund-top-up.ts';
import { mailUnpaid } from './settle.ts';
import { StripeForbidden } from './stripe/api.ts';
import { compareWithStripe } from './stripe/compare.ts';
import { recheckPayment } from './stripe/recheck.ts';

/** Charges and refunds retried per round. */
const BATCH = 50;
const DAY_MS = 86_400_000;
/**
 * Part of the lists that is compared again: they are ordered by when a payment was begun, and a direct debit takes days
 * until it is paid.
 */
const OVERLAP_MS = 14 * DAY_MS;
const NEVER = new AbortController().signal;

/** The periodic work on payments: tops up wallets, and settles whatever is unsettled. */
export async function lookAfterPayments(
  parts: ChargeParts,
  failures: Failures,
  signal: AbortSignal = NEVER,
): Promise<void> {
  const { db, clock } = parts;
  const now = clock.now();
  await inBatches((limit) => expire(parts, now, limit));
  // A charge or refund that was made but is missing from the books, as after an older copy was restored, must not be
  // requested again: after a day, Stripe has forgotten the first request.
  const compare = () =>
    compareDaily(parts, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
  await recheck(parts, failures);
  await failures.attempt('compare_payments', compare);
  if (!parts.payments.comparedAt) return;
  for (const topUp of await topUpsToRetry(db, within(now, RETRY_MS), BATCH))
    await failures.attempt('retry_charges', () => retryCharge(parts, topUp), topUp.id);
  for (const refund of await refundsToRetry(db, within(now, REFUND_RETRY_MS), BATCH)) {
    const again = async () => attemptRefund(parts, (await systemFindTopUp(db, refund.top_up_id))!, refund);
    await failures.attempt('retry_refunds', again, refund.id);
  }
  await topUpByItself(parts, failures);
}

/** Upper bound on the difference between two nodes' clocks. */
const SKEW_MS = 600_000;

/**
 * Limits for finding due work: nothing is ever postponed by more than `ms`, so a later time comes from a wrong clock.
 */
const within = (now: Date, ms: number) => ({ now, latest: new Date(now.getTime() + ms + SKEW_MS) });

/** Asks about payments that take days, in case the event about their end was lost. */
async function recheck(parts: ChargeParts, failures: Failures): Promise<void> {
  const { db, clock, payments } = parts;
  const { stripe } = payments;
  if (!stripe) return;
  for (const topUp of await topUpsToRecheck(db, within(clock.now(), RECHECK_MS), BATCH))
    await failures.attempt(
      'recheck_payments',
      () => recheckPayment({ ...parts, api: stripe.api }, topUp),
      topUp.id,
    );
}

/**
 * Returns whether the comparison was done. A key that may not read the lists does not stop automatic top-ups forever:
 * an error is logged each day, and the time of the last comparison is kept, so that nothing is missed once the key has
 * its permissions.
 */
async function mayCompare({ logger }: ChargeParts, compare: () => Promise<void>): Promise<boolean> {
  try {
    await compare();
    return true;
  } catch (error) {
    if (!(error instanceof StripeForbidden)) throw error;
    logger.error(
      { reason: error.message },
      'the Stripe key may not list payments, refunds or disputes: they are not compared with the books',
    );
    return false;
  }
}

/** Expires top-ups that were not paid in time, and mails the owners of those that a person started. */
function expire(parts: ChargeParts, now: Date, limit: number): Promise<number> {
  return parts.db.transaction(async (tx) => {
    const expired = await expireTopUps(tx, now, limit);
    for (const topUp of expired) if (topUp.cause === 'person') await mailUnpaid(tx, parts, topUp, null);
    return expired.length;
  });
}

/** Compares the provider's payments with the books, once after the start and then once a day. */
async function compareDaily(parts: ChargeParts, signal: AbortSignal): Promise<void> {
  const { db, clock, payments } = parts;
  const now = clock.now();
  const { stripe, comparedAt } = payments;
  // A comparison in the future was made before the clock was set back.
  if (comparedAt && comparedAt <= now && now.getTime() - comparedAt.getTime() < DAY_MS) return;
  if (stripe) {
    const until = (await comparedUntil(db, 'stripe')) ?? (await newestTopUpAt(db, 'stripe'));
    const since = until && new Date(Math.min(until.getTime(), now.getTime()) - OVERLAP_MS);
    if (
      !since ||
      (await mayCompare(parts, () => compareWithStripe({ ...parts, api: stripe.api }, since, signal)))
    )
      await noteCompared(db, 'stripe', now);
  }
  payments.comparedAt = now;
}
