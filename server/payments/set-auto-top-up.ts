import type { Transaction } from '../db/database.ts';
import { type AutoTopUpRow, findPaymentMethod, putAutoTopUp } from '../db/queries/money/payment-methods.ts';
import { requireOpen } from '../domain/accounts/account-status.ts';
import { formatMinor, MAX_PRICE_MINOR } from '../domain/billing/money.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import type { Clock } from '../platform/clock.ts';
import { invalidField } from '../platform/errors.ts';
import type { Payments } from './payments.ts';
import { amountProblem, unitProblem } from './start-top-up.ts';

export interface SetParts {
  catalog: Catalog;
  clock: Clock;
  payments: Payments;
}

/** An account's settings for automatic top-up. */
export interface AutoTopUpWish {
  accountId: string;
  enabled: boolean;
  thresholdMinor: bigint;
  amountMinor: bigint;
  methodId: string | null;
}

/** Sets an account's automatic top-up, and resets its count of failures. */
export async function setAutoTopUp(
  tx: Transaction,
  { catalog, clock, payments }: SetParts,
  wish: AutoTopUpWish,
): Promise<AutoTopUpRow> {
  const problem = amountProblem(catalog, wish.amountMinor);
  if (problem) throw invalidField('amount_minor', problem.code, problem.message);
  if (wish.thresholdMinor > MAX_PRICE_MINOR)
    throw invalidField(
      'threshold_minor',
      'too_large',
      `must be at most ${formatMinor(MAX_PRICE_MINOR, catalog.currency)}`,
    );
  if (wish.enabled && wish.methodId === null)
    throw invalidField(
      'payment_method_id',
      'required',
      'is needed to turn it on: top up once and store the payment method',
    );
  await requireOpen(tx, wish.accountId);
  const method = wish.methodId === null ? null : await findPaymentMethod(tx, wish.accountId, wish.methodId);
  if (method === undefined) throw invalidField('payment_method_id', 'not_found', 'is not one of yours');
  if (method && wish.enabled && !payments.find(method.provider)?.charge)
    throw invalidField(
      'payment_method_id',
      'not_available',
      `cannot be charged: ${method.provider} is not offered`,
    );
  const inexact = method && unitProblem(catalog.currency, wish.amountMinor, payments.find(method.provider));
  if (inexact) throw invalidField('amount_minor', inexact.code, inexact.message);
  return putAutoTopUp(tx, {
    account_id: wish.accountId,
    enabled: wish.enabled,
    threshold_minor: wish.thresholdMinor,
    amount_minor: wish.amountMinor,
    payment_method_id: wish.methodId,
    failures: 0,
    next_attempt_at: null,
    last_error: null,
    updated_at: clock.now(),
  });
}
