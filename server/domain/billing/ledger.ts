import type { Transaction } from '../../db/database.ts';
import { draftFor, noteCorrections } from '../../db/queries/invoices.ts';
import {
  type Adjustment,
  findPendingOrder,
  insertOrder,
  type OrderKind,
  type OrderRow,
  settleOrder,
} from '../../db/queries/orders.ts';
import { drawPromo, undrawPromo } from '../../db/queries/promo-credits.ts';
import { returnPromo } from '../../db/queries/promo-returns.ts';
import { insertVmDebt } from '../../db/queries/vm-debts.ts';
import { bookOrder, lockWallet, post, type Transfer, type WalletRow } from '../../db/queries/wallets.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { formatMinor, max, min, toJsonInteger } from './money.ts';
import { calendarMonth } from './period.ts';
import type { Charge } from './pricing.ts';

/**
 * The ways money moves. Each runs inside the caller's transaction, so that what is charged, ordered, queued
 * and remembered commits together. The wallet is locked before its orders and invoices, after its VM and that VM's jobs:
 * see `db/lock-order.ts`.
 *
 * top-up   clearing → wallet    hold     wallet → hold                   capture  hold → deferred, tax
 * payout   wallet → clearing    charge   wallet → deferred, tax          refund   deferred, tax → wallet
 *                               release  hold → wallet                  debt     receivable → wallet
 *
 * A deposit is a line of unit "deposit": it stays held once its order is completed, until a later order takes it out of the
 * hold again, for what was used (capture) and back to its owner (release). It is no sale, so it is on no document.
 *
 * Promotional credit is spent first: an order in which it takes part goes by way of the hold, where `promo` comes before
 * `wallet`. What it gives back of a period is credit by the share that credit has paid of that period, so that credit never
 * becomes money (`db/queries/promo-returns.ts`). `promo-credits.ts` gives and ends it; `chart.ts` has all accounts.
 */
export interface LedgerContext {
  tx: Transaction;
  clock: Clock;
}

export interface OrderRequest {
  accountId: string;
  /** Null where it is about no VM. */
  vmId: string | null;
  kind: OrderKind;
  charge: Charge;
  at: Date;
  /** As the caller has locked it; locked here where absent. */
  wallet?: WalletRow;
  /** What the wallet does not cover becomes a debt, where the order is settled at once; else it is refused. */
  onDebt?: boolean;
  /** Of an order of kind "adjustment". */
  adjustment?: Adjustment;
  /** The most that promotional credit pays of it, where it is not spent first; 0 if it gets nothing back either. */
  promoAtMost?: bigint;
}

/** Refuses with `insufficient_funds` when a wallet cannot pay `required` besides what the account owes. */
export function requireFunds(wallet: WalletRow, required: bigint): void {
  const spendable = spendableMinor(wallet);
  if (required > spendable)
    throw insufficientFunds('The wallet does not cover this charge.', required, spendable, wallet.currency);
}

/** What an account owes and its wallet has no money for. */
export function unpaidDebt({ available_minor, promo_minor, claimed_minor }: WalletRow): bigint {
  return max(claimed_minor - (available_minor - promo_minor), 0n);
}

/** What a wallet can spend: its promotional credit, and the money that is left of it once it has paid its debt. */
export function spendableMinor({ available_minor, promo_minor, claimed_minor }: WalletRow): bigint {
  return promo_minor + max(available_minor - promo_minor - claimed_minor, 0n);
}

/** What has to be topped up to buy something new for `required`: while there is a debt, that comes first. */
export function purchaseShortfall(wallet: WalletRow, required: bigint): bigint {
  return required > 0n ? unpaidDebt(wallet) + max(required - spendableMinor(wallet), 0n) : 0n;
}

/** Refuses a new order with `insufficient_funds` where the wallet cannot pay it, or the account owes something. */
export function requireFree(wallet: WalletRow, required: bigint): void {
  const refusal = purchaseRefusal(wallet, required);
  if (refusal) throw refusal;
}

/** Why a new order that costs `required` is refused for its money; null where it is not. */
export function purchaseRefusal(wallet: WalletRow, required: bigint): ApiError | null {
  const shortfall = purchaseShortfall(wallet, required);
  if (shortfall === 0n) return null;
  const { claimed_minor: debt, currency } = wallet;
  const available = spendableMinor(wallet);
  if (debt === 0n)
    return insufficientFunds('The wallet does not cover this charge.', required, available, currency);
  return new ApiError(
    'insufficient_funds',
    `You owe ${formatMinor(debt, currency)}. Top up ${formatMinor(shortfall, currency)} to continue.`,
    {
      required_minor: toJsonInteger(required),
      available_minor: toJsonInteger(available),
      shortfall_minor: toJsonInteger(shortfall),
      debt_minor: toJsonInteger(debt),
      currency,
    },
  );
}

/** The same for money that goes back out, which promotional credit never does. */
export function requireMoney({ available_minor, promo_minor, currency }: WalletRow, required: bigint): void {
  const money = available_minor - promo_minor;
  if (required > money)
    throw insufficientFunds(
      'The wallet does not cover this; promotional credit is not paid out.',
      required,
      money,
      currency,
    );
}

function insufficientFunds(message: string, required: bigint, available: bigint, currency: string): ApiError {
  return new ApiError('insufficient_funds', message, {
    required_minor: toJsonInteger(required),
    available_minor: toJsonInteger(available),
    shortfall_minor: toJsonInteger(required - available),
    currency,
  });
}

/** What a wallet cannot pay of `total`. */
export function uncollectible(wallet: WalletRow, total: bigint): bigint {
  return max(total - spendableMinor(wallet), 0n);
}

/** Refuses with `price_changed` when the charge is above what the caller agreed to pay. */
export function requireAtMost(charge: Charge, maxChargeMinor: number | undefined): void {
  if (maxChargeMinor === undefined || charge.total_minor <= BigInt(maxChargeMinor)) return;
  throw new ApiError('price_changed', 'The price is above max_charge_minor.', {
    max_charge_minor: maxChargeMinor,
    price_minor: toJsonInteger(charge.total_minor),
  });
}

/**
 * Places an order whose work is still to be done. What is to pay is held; what is to be given back waits
 * for the work to succeed. {@link completeOrder} or {@link failOrder} settles it.
 */
export async function placeOrder(context: LedgerContext, request: OrderRequest): Promise<OrderRow> {
  const wallet = request.wallet ?? (await lockWallet(context.tx, request.accountId));
  requireFunds(wallet, max(request.charge.total_minor, 0n));
  const order = await writeOrder(context, request, wallet);
  await hold(context, wallet, order, request.at);
  return order;
}

/** Settles a pending order whose work succeeded: captures the hold, or pays the refund. */
export async function completeOrder(
  context: LedgerContext,
  accountId: string,
  orderId: string,
  at: Date,
): Promise<void> {
  const order = await lockPendingOrder(context.tx, accountId, orderId);
  if (order) await completeLocked(context, order, at);
}

/** The same for an order as {@link lockPendingOrder} has found it. */
export async function completeLocked(context: LedgerContext, order: OrderRow, at: Date): Promise<void> {
  await complete(context, order, order.amount_minor > 0n ? 'hold' : 'wallet', at);
}

/** Settles a pending order whose work failed or was cancelled: the wallet is as if it had never been. */
export async function failOrder(
  context: LedgerContext,
  accountId: string,
  orderId: string,
  at: Date,
): Promise<void> {
  const order = await lockPendingOrder(context.tx, accountId, orderId);
  if (order) await failLocked(context, order, at);
}

/** The same for an order as {@link lockPendingOrder} has found it. */
export async function failLocked(context: LedgerContext, order: OrderRow, at: Date): Promise<void> {
  if (order.amount_minor > 0n) {
    const promo = await undrawPromo(context.tx, order.id);
    await release(context, order, promo, at);
  }
  await settleOrder(context.tx, order, { status: 'failed', invoiceId: null, balanceAfterMinor: null, at });
}

/** Locks the wallet, without which no order is settled, and reads an order behind that; undefined when it is settled. */
export async function lockPendingOrder(
  tx: Transaction,
  accountId: string,
  orderId: string,
): Promise<OrderRow | undefined> {
  const [, order] = await Promise.all([lockWallet(tx, accountId), findPendingOrder(tx, orderId)]);
  return order;
}

/** An order that is settled as it is placed: a renewal, or the refund of a deletion. */
export async function settleNow(context: LedgerContext, request: OrderRequest): Promise<OrderRow> {
  const { charge, onDebt, promoAtMost, at } = request;
  const wallet = withPromo(await lockWallet(context.tx, request.accountId), promoAtMost);
  const owed = onDebt ? uncollectible(wallet, charge.total_minor) : 0n;
  requireFunds(wallet, max(charge.total_minor - owed, 0n));
  const order = await writeOrder(context, request, wallet);
  // The sale stands whole: what its customer still owes of it is lent to the wallet.
  const lent = { debit: 'receivable', credit: 'wallet', reason: 'debt' } as const;
  await move(context, order, { ...lent, amountMinor: owed, at });
  if (owed > 0n)
    await insertVmDebt(context.tx, { order_id: order.id, account_id: order.account_id, owed_minor: owed });
  const byHold = order.amount_minor > 0n && (wallet.promo_minor > 0n || order.deposit_minor !== null);
  if (byHold) await hold(context, wallet, order, at);
  return complete(context, order, byHold ? 'hold' : 'wallet', at, promoAtMost);
}

/** The wallet with no more promotional credit than `most`. */
function withPromo(wallet: WalletRow, most = wallet.promo_minor): WalletRow {
  const promo_minor = min(wallet.promo_minor, most);
  const available_minor = wallet.available_minor - wallet.promo_minor + promo_minor;
  return { ...wallet, promo_minor, available_minor };
}

/** Holds what an order costs, promotional credit first. */
async function hold(
  context: LedgerContext,
  { promo_minor }: WalletRow,
  order: OrderRow,
  at: Date,
): Promise<void> {
  const { account_id: accountId, id: orderId, amount_minor: total } = order;
  const promo = min(promo_minor, max(total, 0n));
  if (promo > 0n) await drawPromo(context.tx, { accountId, orderId, amountMinor: promo });
  await move(context, order, { debit: 'promo', credit: 'hold', amountMinor: promo, reason: 'hold', at });
  await move(context, order, {
    debit: 'wallet',
    credit: 'hold',
    amountMinor: total - promo,
    reason: 'hold',
    at,
  });
}

/** Releases what is held for an order: `promo` of it is promotional credit, the rest money. */
async function release(context: LedgerContext, order: OrderRow, promo: bigint, at: Date): Promise<void> {
  const money = max(order.amount_minor, -order.amount_minor) - promo;
  await move(context, order, { debit: 'hold', credit: 'promo', amountMinor: promo, reason: 'release', at });
  await move(context, order, { debit: 'hold', credit: 'wallet', amountMinor: money, reason: 'release', at });
}

/** Books an order by its lines and puts it on the draft of its month: an invoice, or a credit note where it gives back. */
async function complete(
  context: LedgerContext,
  order: OrderRow,
  sold: 'wallet' | 'hold',
  at: Date,
  promoAtMost?: bigint,
): Promise<OrderRow> {
  const { account_id: accountId, id: orderId, amount_minor, deposit_minor } = order;
  const amountMinor = amount_minor - (deposit_minor ?? 0n);
  const promo = await promoGivenBack(context, order, promoAtMost);
  const releases = amount_minor < 0n && (promo > 0n || deposit_minor !== null);
  const party = promo > 0n || deposit_minor !== null ? 'hold' : sold;
  const type = amountMinor < 0n ? 'credit_note' : 'invoice';
  const document = { accountId, type, ...calendarMonth(at), currency: order.currency } as const;
  const [booked, invoiceId] = await Promise.all([
    bookOrder(context.tx, { accountId, orderId, amountMinor, party, at }),
    // What moves a deposit alone sells nothing.
    deposit_minor !== null && amountMinor === 0n ? null : draftFor(context.tx, document, context.clock),
  ]);
  if (releases) await release(context, order, promo, at);
  const balanceAfterMinor = releases ? booked.available_minor - amount_minor : booked.available_minor;
  const settled = await settleOrder(context.tx, order, {
    status: 'completed',
    invoiceId,
    balanceAfterMinor,
    at,
  });
  if (invoiceId !== null && type === 'credit_note') await noteCorrections(context.tx, settled);
  return settled;
}

/** What an order that gives back owes to promotional credit, which has it by then. */
async function promoGivenBack({ tx }: LedgerContext, order: OrderRow, most?: bigint): Promise<bigint> {
  const { id: orderId, vm_id: vmId, amount_minor } = order;
  if (amount_minor >= 0n || vmId === null || most === 0n) return 0n;
  return returnPromo(tx, { orderId, vmId });
}

function writeOrder(context: LedgerContext, request: OrderRequest, wallet: WalletRow) {
  return insertOrder(
    context.tx,
    {
      id: newId('ord', context.clock),
      account_id: request.accountId,
      vm_id: request.vmId,
      kind: request.kind,
      amount_minor: request.charge.total_minor,
      currency: wallet.currency,
      created_at: request.at,
    },
    request.charge.lines,
    request.adjustment,
  );
}

/** Moves money of an order; nothing where there is none. */
async function move(
  { tx }: LedgerContext,
  { account_id: accountId, id: orderId }: OrderRow,
  leg: Pick<Transfer, 'debit' | 'credit' | 'amountMinor' | 'reason' | 'at'>,
): Promise<void> {
  if (leg.amountMinor > 0n) await post(tx, { accountId, orderId, ...leg });
}
