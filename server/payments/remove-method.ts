import type { Transaction } from '../db/database.ts';
import {
  lockAutoTopUp,
  type PaymentMethodRow,
  putAutoTopUp,
  removePaymentMethod,
} from '../db/queries/money/payment-methods.ts';
import type { Clock } from '../platform/clock.ts';
import { notFound } from '../platform/errors.ts';
import type { Logger } from '../platform/logging.ts';
import type { Payments } from './payments.ts';

export interface RemoveParts {
  clock: Clock;
  logger: Logger;
  payments: Payments;
}

/**
 * Deletes a payment method here and at its provider, and turns off an automatic top-up that charges it. Past payments
 * with it stay, and can still be refunded.
 */
export async function removeMethod(
  tx: Transaction,
  { clock, logger, payments }: RemoveParts,
  accountId: string,
  id: string,
): Promise<PaymentMethodRow> {
  const auto = await lockAutoTopUp(tx, accountId);
  const now = clock.now();
  if (auto?.payment_method_id === id)
    await putAutoTopUp(tx, { ...auto, enabled: false, payment_method_id: null, updated_at: now });
  const method = await removePaymentMethod(tx, accountId, id, now);
  if (!method) throw notFound();
  // The method is no longer charged, whatever the provider answers.
  tx.afterCommit(() => {
    payments
      .find(method.provider)
      ?.forget?.(method.method_ref)
      .catch((error) =>
        logger.warn(
          { payment_method_id: id, err: error },
          'a payment method is still stored at its provider',
        ),
      );
  });
  return method;
}
