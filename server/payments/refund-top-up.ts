import type { Database, Transaction } from '../db/database.ts';
import {
  changeRefund,
  findRefund,
  insertRefund,
  lockRefund,
  refundsOf,
  type TopUpRefundRow,
} from '../db/queries/money/top-up-refunds.ts';
import { reversedOf } from '../db/queries/money/top-up-reversals.ts';
import { lockTopUp, systemFindTopUp, type TopUpRow } from '../db/queries/money/top-ups.ts';
import { creditAccount, debitAccount } from '../domain/accounts/book-payment.ts';
import { formatMinor, max, sum, toJsonInteger } from '../domain/billing/money.ts';
import { mailOwners } from '../mail/owners.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, invalidField, notFound } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { Payments } from './payments.ts';
import { ProviderUnavailableError, type RefundOutcome } from './provider.ts';
import { isRemembered } from './remembered.ts';
import { type SettleParts, valuesOf } from './settle.ts';
import { unitProblem } from './start-top-up.ts';

export interface RefundParts {
  clock: Clock;
  db: Database;
  logger: Logger;
  payments: Payments;
  secrets: SecretBox;
}

/** Wait before retrying a refund whose outcome is unknown. */
export const RETRY_MS = 5 * 60_000;

export interface RefundWish {
  /** The top-up's id or reference. */
  topUp: string;
  /** If undefined, refunds all that is left of the top-up. */
  amountMinor: bigint | undefined;
  reason: string;
  actor: string;
}

/**
 * Sends money of a top-up back to its source. The money leaves the wallet first, so that it cannot be spent in the
 * meantime; it is put back if the provider refuses. A refund without an answer is retried in the background.
 */
export async function refundTopUp(parts: RefundParts, wish: RefundWish): Promise<TopUpRefundRow> {
  const { refund, topUp } = await parts.db.transaction((tx) => withdraw(tx, parts, wish));
  return attemptRefund(parts, topUp, refund);
}

async function withdraw(
  tx: Transaction,
  { clock, payments }: RefundParts,
  { topUp: name, amountMinor, reason, actor }: RefundWish,
): Promise<{ refund: TopUpRefundRow; topUp: TopUpRow }> {
  const found = await systemFindTopUp(tx, name);
  const topUp = found && (await lockTopUp(tx, found.id));
  if (!topUp) throw notFound();
  if (topUp.status !== 'succeeded')
    throw new ApiError('invalid_state', `The top-up is ${topUp.status}.`, {
      status: topUp.status,
      allowed: ['succeeded'],
    });
  if (!payments.find(topUp.provider)?.refund || topUp.provider_ref === null)
    throw new ApiError(
      'invalid_state',
      `Payments by ${topUp.provider} cannot be refunded here. Refund it there, and book it with account debit.`,
      { provider: topUp.provider },
    );
  const refunds = await refundsOf(tx, topUp.id);
  const gone = sum(
    refunds.filter(({ status }) => status !== 'failed').map(({ amount_minor }) => amount_minor),
  );
  const left = max(topUp.amount_minor - gone - (await reversedOf(tx, topUp.id)), 0n);
  const amount = amountMinor ?? left;
  if (amount > left || amount === 0n)
    throw invalidField(
      'amount',
      'too_large',
      `must be at most ${formatMinor(left, topUp.currency)}, the amount left to refund`,
    );
  const inexact = unitProblem(topUp.currency, amount, payments.find(topUp.provider));
  if (inexact) throw invalidField('amount', inexact.code, inexact.message);
  const id = newId('rfd', clock);
  const { payment } = await debitAccount(tx, clock, {
    accountId: topUp.account_id,
    amountMinor: amount,
    method: topUp.provider,
    reference: id,
  });
  const refund: TopUpRefundRow = {
    id,
    top_up_id: topUp.id,
    account_id: topUp.account_id,
    amount_minor: amount,
    status: 'pending',
    reason,
    actor,
    payment_id: payment.id,
    returned_payment_id: null,
    provider_ref: null,
    error: null,
    created_at: clock.now(),
    settled_at: null,
    // In case this node stops before it knows the outcome.
    retry_at: new Date(clock.now().getTime() + RETRY_MS),
  };
  await insertRefund(tx, refund);
  return { refund, topUp };
}

/** Requests a refund from the provider, or asks again for its outcome. */
export async function attemptRefund(
  parts: RefundParts,
  topUp: TopUpRow,
  refund: TopUpRefundRow,
): Promise<TopUpRefundRow> {
  const { db, clock, logger, payments } = parts;
  const provider = payments.find(topUp.provider);
  const about = {
    refund_id: refund.id,
    top_up_id: topUp.id,
    amount_minor: toJsonInteger(refund.amount_minor),
  };
  let outcome: RefundOutcome | undefined;
  try {
    if (!provider?.refund) throw new ProviderUnavailableError(`${topUp.provider} is no longer offered`);
    outcome = await provider.refund({
      id: refund.id,
      providerRef: topUp.provider_ref!,
      amountMinor: refund.amount_minor,
      currency: topUp.currency,
    });
  } catch (error) {
    if (!(error instanceof ProviderUnavailableError)) throw error;
    logger.warn({ ...about, reason: error.message }, 'it is not known whether a refund was made');
  }
  return db.transaction((tx) =>
    outcome ? settleRefund(tx, parts, refund.id, outcome) : askLater(tx, { clock, logger }, refund),
  );
}

async function askLater(
  tx: Transaction,
  { clock, logger }: Pick<RefundParts, 'clock' | 'logger'>,
  { id, top_up_id, created_at }: TopUpRefundRow,
): Promise<TopUpRefundRow> {
  await lockTopUp(tx, top_up_id);
  const refund = (await lockRefund(tx, id))!;
  if (refund.status !== 'pending') return refund;
  const isKnown = isRemembered(created_at, clock.now());
  // After that, another request might refund it twice.
  if (!isKnown) logger.error({ refund_id: id }, 'check with the provider whether this refund was made');
  return changeRefund(tx, refund, { retry_at: isKnown ? new Date(clock.now().getTime() + RETRY_MS) : null });
}

/**
 * Books the outcome of a refund, whichever side reports it. A completed refund can still fail days later, if the bank
 * rejects it: the money is then put back into the wallet, once.
 */
export async function settleRefund(
  tx: Transaction,
  parts: SettleParts,
  id: string,
  outcome: RefundOutcome,
): Promise<TopUpRefundRow> {
  const { clock, logger } = parts;
  const found = await findRefund(tx, id);
  if (!found) throw notFound();
  const topUp = (await lockTopUp(tx, found.top_up_id))!;
  const refund = (await lockRefund(tx, id))!;
  if (refund.status === 'failed') return refund;
  const at = clock.now();
  if (outcome.status !== 'failed') {
    if (refund.status === 'succeeded') return refund;
    const settled = outcome.status === 'succeeded' ? { status: 'succeeded' as const, settled_at: at } : {};
    if (outcome.status === 'succeeded') await mailRefund(tx, parts, topUp, refund);
    return changeRefund(tx, refund, { ...settled, provider_ref: outcome.providerRef, retry_at: null });
  }
  const { payment } = await creditAccount(tx, clock, {
    accountId: topUp.account_id,
    amountMinor: refund.amount_minor,
    method: topUp.provider,
    reference: `${id} returned`,
    isDue: true,
  });
  // No one was notified of a refund that was refused at once.
  if (refund.status === 'succeeded') await mailReturned(tx, parts, topUp, refund);
  tx.afterCommit(() => logger.warn({ refund_id: id, reason: outcome.error }, 'refund failed'));
  return changeRefund(tx, refund, {
    status: 'failed',
    error: outcome.error,
    returned_payment_id: payment.id,
    settled_at: at,
    retry_at: null,
  });
}

function mailRefund(tx: Transaction, parts: SettleParts, topUp: TopUpRow, refund: TopUpRefundRow) {
  const { amount_minor, reason } = refund;
  return mailOwners(tx, parts, topUp.account_id, 'top_up_refunded', (account) => ({
    ...valuesOf({ ...topUp, amount_minor }, account),
    reason,
  }));
}

function mailReturned(
  tx: Transaction,
  parts: SettleParts,
  topUp: TopUpRow,
  { amount_minor }: TopUpRefundRow,
) {
  return mailOwners(tx, parts, topUp.account_id, 'payment_returned', (account) => ({
    ...valuesOf({ ...topUp, amount_minor }, account),
    kind: 'refund' as const,
  }));
}
