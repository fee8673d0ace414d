import type { Transaction } from '../db/database.ts';
import {
  changeReversal,
  insertReversal,
  lockReversal,
  type TopUpReversalRow,
} from '../db/queries/top-up-reversals.ts';
import { lockTopUp, type TopUpRow } from '../db/queries/top-ups.ts';
import { lockWallet } from '../db/queries/wallets.ts';
import { creditAccount, debitAccount } from '../domain/accounts/book-payment.ts';
import { toJsonInteger } from '../domain/billing/money.ts';
import { mailOwners } from '../mail/owners.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { valuesOf } from './settle.ts';

/** What booking them takes. */
export interface ReversalParts {
  clock: Clock;
  logger: Logger;
  secrets: SecretBox;
}

/** What a provider says of money that it takes back, or has given back after all. */
export interface Reversal extends Pick<TopUpReversalRow, 'kind'> {
  providerRef: string;
  amountMinor: bigint;
  /** It came to nothing: the refund failed, the dispute was won. */
  isVoid: boolean;
}

/**
 * Books what a provider says of a reversal, however often and in whatever order: it is taken from the wallet once, and put
 * back once where it comes to nothing, after which it stays so. What the wallet does not cover is owed. The owners are
 * told of it in either case. The caller holds the lock of the top-up, which was paid.
 */
export async function settleReversal(
  tx: Transaction,
  parts: ReversalParts,
  topUp: TopUpRow,
  { kind, providerRef, amountMinor, isVoid }: Reversal,
): Promise<TopUpReversalRow> {
  const { id: topUpId, account_id, provider } = topUp;
  const { clock } = parts;
  const known = await lockReversal(tx, providerRef);
  if (known) return isVoid ? giveBack(tx, parts, provider, known) : known;
  const now = clock.now();
  const row: TopUpReversalRow = {
    id: newId('rvs', clock),
    top_up_id: topUpId,
    account_id,
    kind,
    provider_ref: providerRef,
    amount_minor: amountMinor,
    status: isVoid ? 'void' : 'owed',
    payment_id: null,
    returned_payment_id: null,
    created_at: now,
    settled_at: isVoid ? now : null,
  };
  await insertReversal(tx, row);
  if (isVoid) return row;
  const booked = await collect(tx, parts, provider, row);
  await mailOwners(tx, parts, account_id, 'payment_taken_back', (account) => ({
    ...valuesOf({ ...topUp, amount_minor: amountMinor }, account),
    kind,
    isOwed: booked.status === 'owed',
  }));
  return booked;
}

/** Takes what is owed, where the wallet covers it by now. */
export async function collectReversal(
  tx: Transaction,
  parts: ReversalParts,
  { top_up_id, provider_ref }: TopUpReversalRow,
): Promise<void> {
  const { provider } = (await lockTopUp(tx, top_up_id))!;
  const row = await lockReversal(tx, provider_ref);
  if (row?.status === 'owed') await collect(tx, parts, provider, row);
}

async function collect(
  tx: Transaction,
  { clock, logger }: ReversalParts,
  provider: string,
  row: TopUpReversalRow,
): Promise<TopUpReversalRow> {
  const { id, account_id: accountId, amount_minor: amountMinor, kind, top_up_id } = row;
  const about = { top_up_id, account_id: accountId, amount_minor: toJsonInteger(amountMinor), kind };
  const { available_minor, promo_minor } = await lockWallet(tx, accountId);
  if (available_minor - promo_minor < amountMinor) {
    tx.afterCommit(() => logger.error(about, 'a payment was taken back that the wallet does not cover'));
    return row;
  }
  const debit = { accountId, amountMinor, method: provider, reference: id };
  const { payment } = await debitAccount(tx, clock, debit);
  tx.afterCommit(() => logger.warn(about, 'a payment was taken back'));
  return changeReversal(tx, row, { status: 'taken', payment_id: payment.id, settled_at: clock.now() });
}

async function giveBack(
  tx: Transaction,
  { clock, logger }: ReversalParts,
  provider: string,
  row: TopUpReversalRow,
): Promise<TopUpReversalRow> {
  const { id, account_id: accountId, amount_minor: amountMinor, status } = row;
  if (status === 'void') return row;
  const settled = { status: 'void', settled_at: clock.now() } as const;
  if (status === 'owed') return changeReversal(tx, row, settled);
  const credit = { accountId, amountMinor, method: provider, reference: `${id} returned` };
  const { payment } = await creditAccount(tx, clock, credit);
  tx.afterCommit(() => logger.info({ reversal_id: id }, 'a payment that was taken back is given back'));
  return changeReversal(tx, row, { ...settled, returned_payment_id: payment.id });
}
