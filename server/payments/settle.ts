import type { Transaction } from '../db/database.ts';
import { changeTopUp, type TopUpRow } from '../db/queries/money/top-ups.ts';
import { creditAccount } from '../domain/accounts/book-payment.ts';
import { toJsonInteger } from '../domain/billing/money.ts';
import { mailBilling } from '../mail/billing-contacts.ts';
import { mailOwners } from '../mail/owners.ts';
import type { TopUpValues } from '../mail/templates/money.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { SecretBox } from '../platform/secrets.ts';

export interface SettleParts {
  clock: Clock;
  logger: Logger;
  secrets: SecretBox;
}

/** A payment as reported by the provider. */
export interface Paid {
  amountMinor: bigint;
  /** ISO 4217. */
  currency: string;
  /** The provider's id of the payment. */
  providerRef: string | null;
}

/** The payment differs from the expected one: nothing is booked, and the operator has to check. */
export class PaymentMismatchError extends Error {
  override name = 'PaymentMismatchError';
}

/**
 * Books the payment of a top-up, once, however often it is reported. The top-up may have failed or expired in the
 * meantime: money that has arrived is booked anyway. The caller holds the top-up's lock. Throws
 * {@link PaymentMismatchError} if the amount or the currency differs.
 */
export async function settlePaid(
  tx: Transaction,
  parts: SettleParts,
  topUp: TopUpRow,
  paid: Paid,
): Promise<TopUpRow> {
  if (topUp.status === 'succeeded') return topUp;
  const { clock, logger } = parts;
  if (paid.amountMinor !== topUp.amount_minor || paid.currency !== topUp.currency)
    throw new PaymentMismatchError(
      `${topUp.id} is for ${topUp.amount_minor} ${topUp.currency}, but ${paid.amountMinor} ${paid.currency} was paid`,
    );
  const { payment } = await creditAccount(tx, clock, {
    accountId: topUp.account_id,
    amountMinor: topUp.amount_minor,
    method: topUp.provider,
    reference: topUp.reference,
    isDue: true,
  });
  const settled = await changeTopUp(tx, topUp, {
    status: 'succeeded',
    payment_id: payment.id,
    provider_ref: paid.providerRef ?? topUp.provider_ref,
    error: null,
    settled_at: clock.now(),
    retry_at: null,
    recheck_at: null,
  });
  await mailBilling(tx, parts, topUp.account_id, 'top_up_succeeded', `receipt ${topUp.id}`, (account) => ({
    ...valuesOf(topUp, account),
    paidAt: clock.now().toISOString(),
    method: topUp.provider,
  }));
  tx.afterCommit(() =>
    logger.info(
      { top_up_id: topUp.id, account_id: topUp.account_id, provider: topUp.provider, payment_id: payment.id },
      'topped up',
    ),
  );
  return settled;
}

/** Returns the values of a mail about a top-up. */
export function valuesOf({ amount_minor, currency, reference }: TopUpRow, account: string): TopUpValues {
  return { account, amountMinor: toJsonInteger(amount_minor), currency, reference };
}

/** Ends a top-up that was not paid; any other status stays as it is. The caller holds the top-up's lock. */
export async function settleUnpaid(
  tx: Transaction,
  parts: SettleParts,
  topUp: TopUpRow,
  { status, error }: { status: 'failed' | 'expired' | 'canceled'; error: string | null },
): Promise<TopUpRow> {
  if (topUp.status !== 'pending') return topUp;
  const { clock, logger } = parts;
  const change = { status, error, settled_at: clock.now(), retry_at: null, recheck_at: null };
  tx.afterCommit(() =>
    logger.info({ top_up_id: topUp.id, account_id: topUp.account_id, status, error }, 'top-up ended'),
  );
  // An automatic top-up has its own mail, and a person who cancels a top-up knows.
  if (status !== 'canceled' && topUp.cause === 'person') await mailUnpaid(tx, parts, topUp, error);
  return changeTopUp(tx, topUp, change);
}

/** Mails the owners that a top-up failed, or expired if there is no reason. */
export async function mailUnpaid(
  tx: Transaction,
  parts: SettleParts,
  topUp: TopUpRow,
  reason: string | null,
): Promise<void> {
  await mailOwners(tx, parts, topUp.account_id, 'top_up_ended', (account) => ({
    ...valuesOf(topUp, account),
    reason,
  }));
}
