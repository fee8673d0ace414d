import type { Database, Transaction } from '../db/database.ts';
import { lockAccount } from '../db/queries/access/accounts.ts';
import {
  type AutoTopUpRow,
  accountsToTopUp,
  findPaymentMethod,
  lockAutoTopUp,
  mayTopUp,
  noteAutoTopUp,
  type PaymentMethodRow,
  processingMinor,
} from '../db/queries/money/payment-methods.ts';
import { changeTopUp, insertTopUp, lockTopUp, type TopUpRow } from '../db/queries/money/top-ups.ts';
import { lockWallet } from '../db/queries/money/wallets.ts';
import { toJsonInteger } from '../domain/billing/money.ts';
import { mailOwners } from '../mail/owners.ts';
import type { Clock } from '../platform/clock.ts';
import type { Failures } from '../platform/failures.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { newTopUp } from './new-top-up.ts';
import type { Payments } from './payments.ts';
import { noteProcessing } from './processing.ts';
import { type Outcome, ProviderUnavailableError } from './provider.ts';
import { isRemembered } from './remembered.ts';
import { type Paid, type SettleParts, settlePaid, settleUnpaid } from './settle.ts';

export interface ChargeParts {
  clock: Clock;
  db: Database;
  logger: Logger;
  payments: Payments;
  secrets: SecretBox;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The wait after each consecutive failure. After one more failure, automatic top-up is turned off. */
const WAITS_MS = [HOUR_MS, 6 * HOUR_MS, DAY_MS];
/** Per account and day: whatever goes wrong, a card must not be charged endlessly. */
const MOST_A_DAY = 5;
/**
 * Applies while the account has a debt. Each charge is for the amount that the owner has chosen, however large the debt
 * is.
 */
const MOST_A_DAY_IN_DEBT = 1;
/** Wait before retrying a charge whose outcome is unknown. */
export const RETRY_MS = 5 * 60_000;
/** Long enough for methods that take days, such as direct debits. */
const VALID_MS = 14 * DAY_MS;
const GONE = 'The payment method no longer exists.';
/** Accounts read per query. */
const BATCH = 100;

/** Tops up the wallets that are below their owner's threshold, with one attempt each. */
export async function topUpByItself(parts: ChargeParts, failures: Failures): Promise<void> {
  const now = parts.clock.now();
  const scope = { now, ...dailyLimit(now) };
  let after = '';
  for (;;) {
    const accounts = await accountsToTopUp(parts.db, scope, after, BATCH);
    for (const { account_id } of accounts)
      await failures.attempt('auto_top_up', () => topUpAccount(parts, account_id), account_id);
    if (accounts.length < BATCH) return;
    after = accounts.at(-1)!.account_id;
  }
}

const dailyLimit = (now: Date) => ({
  since: new Date(now.getTime() - DAY_MS),
  most: MOST_A_DAY,
  mostInDebt: MOST_A_DAY_IN_DEBT,
});

/** Tops up one wallet, unless something has changed since the account was found. */
export async function topUpAccount(parts: ChargeParts, accountId: string): Promise<void> {
  const begun = await parts.db.transaction((tx) => begin(tx, parts, accountId));
  if (begun) await charge(parts, begun.topUp, begun.method);
}

/** Writes the top-up before anything is charged, so that no charge is without one. */
async function begin(
  tx: Transaction,
  parts: ChargeParts,
  accountId: string,
): Promise<{ topUp: TopUpRow; method: PaymentMethodRow } | undefined> {
  const { clock, payments } = parts;
  const now = clock.now();
  if ((await lockAccount(tx, accountId)) !== 'active') return undefined;
  const auto = await lockAutoTopUp(tx, accountId);
  if (!auto?.enabled || (auto.next_attempt_at && auto.next_attempt_at > now)) return undefined;
  // Another node may have begun one since the account was found; it would have held the lock of the settings.
  if (!(await mayTopUp(tx, accountId, dailyLimit(now)))) return undefined;
  const method = await findPaymentMethod(tx, accountId, auto.payment_method_id!);
  const { available_minor, currency } = await lockWallet(tx, accountId);
  if (available_minor + (await processingMinor(tx, accountId)) >= auto.threshold_minor) return undefined;
  if (!method || !payments.find(method.provider)?.charge) {
    await noteFailure(tx, parts, { auto, error: GONE, reference: 'none', currency });
    return undefined;
  }
  const topUp = newTopUp({
    id: newId('top', clock),
    account_id: accountId,
    provider: method.provider,
    cause: 'auto',
    amount_minor: auto.amount_minor,
    currency,
    payment_method_id: method.id,
    created_at: now,
    expires_at: new Date(now.getTime() + VALID_MS),
    // In case this node stops before it knows the outcome.
    retry_at: new Date(now.getTime() + RETRY_MS),
  });
  await insertTopUp(tx, topUp);
  return { topUp, method };
}

/** Charges the method of a top-up, or asks again for the outcome of that charge. */
async function charge(
  parts: ChargeParts,
  topUp: TopUpRow,
  { provider, customer_ref, method_ref }: PaymentMethodRow,
): Promise<void> {
  const { db, clock, logger, payments } = parts;
  let outcome: Outcome;
  const isForgotten = !isRemembered(topUp.created_at, clock.now());
  try {
    if (isForgotten)
      throw new ProviderUnavailableError(
        'it may already have been charged, and trying again would charge it twice',
      );
    outcome = await payments.find(provider)!.charge!({
      id: topUp.id,
      amountMinor: topUp.amount_minor,
      currency: topUp.currency,
      customerRef: customer_ref,
      methodRef: method_ref,
    });
  } catch (error) {
    if (!(error instanceof ProviderUnavailableError)) throw error;
    logger.warn({ top_up_id: topUp.id, reason: error.message }, 'it is not known whether a charge was made');
    if (!isForgotten) {
      await db.transaction((tx) => askLater(tx, parts, topUp.id));
      return;
    }
    // If it was charged after all, the provider will report it, and it is booked then.
    outcome = { status: 'failed', error: 'The payment provider did not respond.' };
  }
  await db.transaction((tx) => settleCharge(tx, parts, topUp, outcome));
}

async function askLater(tx: Transaction, { clock }: ChargeParts, id: string): Promise<void> {
  const locked = await lockTopUp(tx, id);
  // The event may have arrived while waiting for the reply.
  if (locked?.status !== 'pending' || locked.recheck_at) return;
  await changeTopUp(tx, locked, { retry_at: new Date(clock.now().getTime() + RETRY_MS) });
}

/** Retries a charge whose outcome is unknown. */
export async function retryCharge(parts: ChargeParts, topUp: TopUpRow): Promise<void> {
  const { db, payments } = parts;
  const method =
    topUp.payment_method_id !== null &&
    (await findPaymentMethod(db, topUp.account_id, topUp.payment_method_id));
  if (method && payments.find(method.provider)?.charge) return charge(parts, topUp, method);
  await db.transaction((tx) => settleCharge(tx, parts, topUp, { status: 'failed', error: GONE }));
}

/** Books the outcome of a charge, from the provider's reply or from a later report. */
export async function settleCharge(
  tx: Transaction,
  parts: SettleParts,
  { id, account_id }: Pick<TopUpRow, 'id' | 'account_id'>,
  outcome: Outcome,
  paid?: Paid,
): Promise<void> {
  const auto = await lockAutoTopUp(tx, account_id);
  const topUp = await lockTopUp(tx, id);
  if (!topUp || topUp.status === 'succeeded') return;
  switch (outcome.status) {
    case 'succeeded': {
      const { amount_minor: amountMinor, currency } = topUp;
      await settlePaid(tx, parts, topUp, paid ?? { amountMinor, currency, providerRef: outcome.providerRef });
      if (auto)
        await noteAutoTopUp(tx, account_id, {
          ...auto,
          failures: 0,
          next_attempt_at: null,
          last_error: null,
        });
      return;
    }
    case 'pending':
      if (topUp.status === 'pending')
        await changeTopUp(tx, topUp, { provider_ref: outcome.providerRef, retry_at: null });
      return;
    case 'processing':
      await noteProcessing(tx, parts, topUp, outcome.providerRef);
      return;
    case 'failed':
      if (topUp.status !== 'pending') return;
      await settleUnpaid(tx, parts, topUp, outcome);
      if (auto) await noteFailure(tx, parts, { ...topUp, auto, error: outcome.error });
  }
}

interface Failure {
  auto: AutoTopUpRow;
  error: string;
  reference: string;
  currency: string;
}

async function noteFailure(
  tx: Transaction,
  parts: SettleParts,
  { auto, error, reference, currency }: Failure,
): Promise<void> {
  const { account_id, amount_minor, enabled } = auto;
  const wait = WAITS_MS[auto.failures];
  const isOff = wait === undefined;
  await noteAutoTopUp(tx, account_id, {
    enabled: enabled && !isOff,
    failures: auto.failures + 1,
    next_attempt_at: isOff ? null : new Date(parts.clock.now().getTime() + wait),
    last_error: error,
  });
  const amountMinor = toJsonInteger(amount_minor);
  await mailOwners(tx, parts, account_id, 'auto_top_up_failed', (account) => ({
    ...{ account, amountMinor, currency, reference },
    reason: error,
    isOff,
  }));
}
