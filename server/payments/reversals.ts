import type { Transaction } from '../db/database.ts';
import { type BookedReversal, findReversal, insertReversal } from '../db/queries/money/top-up-reversals.ts';
import type { TopUpRow } from '../db/queries/money/top-ups.ts';
import { lockWallet } from '../db/queries/money/wallets.ts';
import { bookReversal } from '../domain/accounts/book-payment.ts';
import { toJsonInteger } from '../domain/billing/money.ts';
import { mailOwners } from '../mail/owners.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { valuesOf } from './settle.ts';

export interface ReversalParts {
  clock: Clock;
  logger: Logger;
  secrets: SecretBox;
}

/** A provider's report about money that it reverses, or has returned after all. */
export interface Reversal extends Pick<BookedReversal, 'kind'> {
  providerRef: string;
  amountMinor: bigint;
  /** The reversal was undone: the refund failed, or the dispute was won. */
  isVoid: boolean;
  /** When the provider reported the reversal. */
  toldAt?: Date | undefined;
  /** The provider was asked for the current state, so none of its earlier reports is newer. */
  isCurrent?: boolean;
}

/** The provider has reported two amounts at the same time: the caller must ask which one is current. */
export class SimultaneousError extends Error {
  override name = 'SimultaneousError';
}

/**
 * Books a provider's report about a reversal. Reports may be repeated and come in any order: the latest one counts. The
 * wallet pays as far as its money reaches, and the rest becomes a debt; if less is reversed after all, the difference
 * is put back. Mails the owners when a payment is reversed. The caller holds the lock of the top-up, which was paid.
 * Throws {@link SimultaneousError}.
 */
export async function settleReversal(
  tx: Transaction,
  parts: ReversalParts,
  topUp: TopUpRow,
  reversal: Reversal,
): Promise<BookedReversal> {
  const { account_id } = topUp;
  const { clock, logger } = parts;
  const { kind, providerRef, amountMinor, isVoid } = reversal;
  await lockWallet(tx, account_id);
  const known = await findReversal(tx, providerRef);
  if (known && (isOutdated(known, reversal) || isKnown(known, reversal))) return known;
  if (known && isSimultaneous(known, reversal)) throw new SimultaneousError(`${providerRef} has two amounts`);
  const toldAt = reversal.toldAt ?? known?.told_at ?? null;
  const before = known ?? (await open(tx, clock, topUp, reversal));
  const booked = await bookReversal(tx, clock, before, { amountMinor, isVoid, toldAt });
  const about = { reversal_id: booked.id, account_id, kind, amount_minor: toJsonInteger(amountMinor) };
  tx.afterCommit(() =>
    booked.status === 'owed'
      ? logger.error(about, 'a payment was reversed that the wallet does not cover')
      : logger.warn(about, isVoid ? 'the reversal of a payment was canceled' : 'a payment was reversed'),
  );
  if (isVoid && known && known.status !== 'void' && booked.status === 'void')
    await mailOwners(tx, parts, account_id, 'payment_returned', (account) => ({
      ...valuesOf({ ...topUp, amount_minor: known.amount_minor }, account),
      kind,
    }));
  if (isVoid || known?.status === 'owed' || known?.status === 'taken') return booked;
  await mailOwners(tx, parts, account_id, 'payment_taken_back', (account) => ({
    ...valuesOf({ ...topUp, amount_minor: amountMinor }, account),
    kind,
    isOwed: booked.status === 'owed',
    owedMinor: toJsonInteger(booked.amount_minor - booked.taken_minor),
  }));
  return booked;
}

/**
 * Returns whether a later report was already booked. Of two from the same second, or without a time, the one that
 * undoes the reversal is the later. The last release did not record when the provider reported; for a reversal that was
 * undone then, the time of booking counts.
 */
function isOutdated(
  { told_at, settled_at, status }: BookedReversal,
  { toldAt, isVoid, isCurrent }: Reversal,
): boolean {
  const last = told_at ?? (status === 'void' ? settled_at : null);
  if (last && toldAt && last.getTime() !== toldAt.getTime()) return toldAt < last;
  return status === 'void' && !isVoid && !isCurrent;
}

/**
 * Returns whether it reports another amount in the same second as the booked report: the order of arrival says nothing.
 */
function isSimultaneous(
  known: BookedReversal,
  { amountMinor, isVoid, toldAt, isCurrent }: Reversal,
): boolean {
  const isOfThen = toldAt !== undefined && known.told_at?.getTime() === toldAt.getTime();
  return isOfThen && !isCurrent && !isVoid && known.amount_minor !== amountMinor;
}

/** Returns whether the books already have it, because each comparison with the provider repeats it. */
function isKnown(
  { status, amount_minor }: BookedReversal,
  { amountMinor, isVoid, toldAt }: Reversal,
): boolean {
  if (toldAt) return false;
  return isVoid ? status === 'void' : status !== 'void' && amount_minor === amountMinor;
}

async function open(
  tx: Transaction,
  clock: Clock,
  { id: top_up_id, account_id, provider }: TopUpRow,
  { kind, providerRef: provider_ref, amountMinor: amount_minor, toldAt }: Reversal,
): Promise<BookedReversal> {
  const id = newId('rvs', clock);
  const row = { id, top_up_id, account_id, kind, provider_ref, amount_minor, told_at: toldAt ?? null };
  const owed = { ...row, status: 'owed', created_at: clock.now(), settled_at: null } as const;
  await insertReversal(tx, owed);
  return { ...owed, provider, taken_minor: 0n, moves: 0 };
}
