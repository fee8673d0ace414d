import type { Queryable, Transaction } from '../db/database.ts';
import { findTopUp, lockTopUp, shownStatus, type TopUpRow } from '../db/queries/money/top-ups.ts';
import { ApiError, notFound } from '../platform/errors.ts';
import type { Logger } from '../platform/logging.ts';
import type { Payments } from './payments.ts';
import { ProviderUnavailableError } from './provider.ts';
import { type SettleParts, settleUnpaid } from './settle.ts';

/** Seconds after which a customer may retry if a provider did not answer. */
const RETRY_SECONDS = 30;

/** Has the provider cancel a payment, so that it can no longer be paid. Must be called before any transaction. */
export async function callOff(
  { db, logger, payments }: { db: Queryable; logger: Logger; payments: Payments },
  accountId: string,
  id: string,
): Promise<void> {
  const topUp = await findTopUp(db, accountId, id);
  if (!topUp) throw notFound();
  requireCancelable(topUp);
  const { session_ref, provider } = topUp;
  if (session_ref === null) return;
  try {
    const isOff = await payments.find(provider)?.cancel?.(session_ref);
    if (isOff === false)
      throw new ApiError('invalid_state', 'The top-up is being paid.', { status: topUp.status, allowed: [] });
  } catch (error) {
    if (!(error instanceof ProviderUnavailableError)) throw error;
    logger.warn({ top_up_id: id, reason: error.message }, 'a top-up could not be canceled');
    throw new ApiError('service_unavailable', 'The payment provider is not responding. Try again.', {
      retry_after_seconds: RETRY_SECONDS,
    });
  }
}

/**
 * Cancels a top-up whose payment was cancelled at the provider. Money that arrives anyway is booked, as for an expired
 * top-up.
 */
export async function cancelTopUp(
  tx: Transaction,
  parts: SettleParts,
  accountId: string,
  id: string,
): Promise<TopUpRow> {
  const topUp = await lockTopUp(tx, id);
  if (topUp?.account_id !== accountId) throw notFound();
  // The provider has already reported it.
  if (topUp.status === 'expired') return topUp;
  requireCancelable(topUp);
  return settleUnpaid(tx, parts, topUp, { status: 'canceled', error: null });
}

function requireCancelable(topUp: TopUpRow): void {
  const status = shownStatus(topUp);
  if (topUp.cause === 'person' && status === 'pending') return;
  throw new ApiError('invalid_state', `The top-up is ${status}.`, { status, allowed: ['pending'] });
}
