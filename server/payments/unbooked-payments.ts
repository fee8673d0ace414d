import type { Database, Transaction } from '../db/database.ts';
import { findAccount } from '../db/queries/access/accounts.ts';
import { askSeries } from '../db/queries/money/series.ts';
import {
  findTopUpOfProvider,
  insertTopUp,
  systemFindTopUp,
  type TopUpRow,
} from '../db/queries/money/top-ups.ts';
import {
  decideUnbookedPayment,
  insertUnbookedPayment,
  lockUnbookedPayment,
  type NewUnbookedPayment,
  type UnbookedPaymentRow,
} from '../db/queries/money/unbooked-payments.ts';
import { lookUpWallet } from '../db/queries/money/wallets.ts';
import { requireOpenOrOwing } from '../domain/accounts/account-status.ts';
import { toJsonInteger } from '../domain/billing/money.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, invalidField, notFound } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import { newTopUp } from './new-top-up.ts';
import { type SettleParts, settlePaid } from './settle.ts';

/** A provider's data on a payment whose top-up is not in the books. */
export type FoundPayment = Omit<NewUnbookedPayment, 'id' | 'found_at'>;

/**
 * Notes a payment that a provider has but the books do not, for an operator to decide. That happens after an older copy
 * of the database was restored. The payment is noted once, however often it is found.
 */
export async function noteUnbooked(
  { db, clock, logger }: { db: Database; clock: Clock; logger: Logger },
  found: FoundPayment,
): Promise<void> {
  const row = { ...found, id: newId('ubp', clock), found_at: clock.now() };
  const isNew = await db.transaction(async (tx) => {
    const isNoted = await insertUnbookedPayment(tx, row);
    // Documents may be missing as well.
    if (isNoted) await askSeries(tx, row.found_at, 'lost_payment');
    return isNoted;
  });
  if (!isNew) return;
  const { id, provider, provider_ref, account_id } = row;
  const amount_minor = toJsonInteger(row.amount_minor);
  logger.error(
    { unbooked_payment_id: id, provider, provider_ref, account_id, amount_minor },
    'a payment is not in the books: see vaubanctl payment unbooked',
  );
}

/**
 * Books an unbooked payment to the account stored at the provider, or to `accountId` if there is none. Creates its
 * top-up again, so that a refund or a dispute of the payment finds it. Throws `invalid_state` if the account is gone.
 */
export async function bookUnbooked(
  tx: Transaction,
  parts: SettleParts,
  { id, accountId, actor }: { id: string; accountId: string | undefined; actor: string },
): Promise<UnbookedPaymentRow> {
  const found = await lockOpen(tx, id);
  const { provider, provider_ref, amount_minor: amountMinor, currency } = found;
  if (accountId !== undefined && found.account_id !== null && accountId !== found.account_id)
    throw invalidField('account_id', 'conflict', `must be ${found.account_id}, who paid it`);
  const owner = found.account_id ?? accountId;
  if (owner === undefined)
    throw invalidField(
      'account_id',
      'required',
      'is required, because the provider does not know the account',
    );
  if (!(await findAccount(tx, owner)))
    throw new ApiError(
      'invalid_state',
      'The account is not in the books. Create a new one, dismiss this payment, and book it there with account credit.',
      { account_id: owner },
    );
  await requireOpenOrOwing(tx, owner);
  const wallet = await lookUpWallet(tx, owner);
  if (wallet.currency !== currency)
    throw new ApiError('invalid_state', `The account is in ${wallet.currency}, the payment in ${currency}.`);
  const paidTwice = await systemFindTopUp(tx, found.top_up_id);
  if (paidTwice?.status === 'pending' || (await findTopUpOfProvider(tx, provider, provider_ref)))
    throw new ApiError(
      'invalid_state',
      'The top-up of this payment is now in the books. Dismiss the payment.',
    );
  const topUp = topUpOf(found, owner, paidTwice ? newId('top', parts.clock) : found.top_up_id);
  await insertTopUp(tx, topUp);
  const paid = { providerRef: provider_ref, amountMinor, currency };
  const { payment_id } = await settlePaid(tx, parts, topUp, paid);
  return decideUnbookedPayment(tx, id, {
    at: parts.clock.now(),
    by: actor,
    reason: null,
    paymentId: payment_id,
  });
}

/** Closes an unbooked payment without booking it, for example because it was booked manually. */
export async function dismissUnbooked(
  tx: Transaction,
  { clock }: { clock: Clock },
  { id, reason, actor }: { id: string; reason: string; actor: string },
): Promise<UnbookedPaymentRow> {
  await lockOpen(tx, id);
  return decideUnbookedPayment(tx, id, { at: clock.now(), by: actor, reason, paymentId: null });
}

async function lockOpen(tx: Transaction, id: string): Promise<UnbookedPaymentRow> {
  const found = await lockUnbookedPayment(tx, id);
  if (!found) throw notFound();
  if (found.decided_at === null) return found;
  const status = found.payment_id === null ? 'dismissed' : 'booked';
  throw new ApiError('invalid_state', `The payment was already ${status} by ${found.decided_by}.`, {
    status,
  });
}

/** The top-up as it was before the payment, as far as that is known. */
function topUpOf(found: UnbookedPaymentRow, account_id: string, id: string): TopUpRow {
  const { provider, amount_minor, currency, provider_ref, paid_at: created_at } = found;
  return newTopUp({ id, account_id, provider, amount_minor, currency, provider_ref, created_at });
}
