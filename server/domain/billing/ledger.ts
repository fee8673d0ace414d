import type { Transaction } from '../../db/database.ts';
import { draftFor, noteCorrections } from '../../db/queries/money/invoices.ts';
import {
  type Adjustment,
  findPendingOrder,
  insertOrder,
  type OrderKind,
  type OrderRow,
  settleOrder,
} from '../../db/queries/money/orders.ts';
import { drawPromo, undrawPromo } from '../../db/queries/money/promo-credits.ts';
import { returnPromo } from '../../db/queries/money/promo-returns.ts';
import { insertVmDebt } from '../../db/queries/money/vm-debts.ts';
import {
  bookOrder,
  lockWallet,
  post,
  type Transfer,
  type WalletRow,
} from '../../db/queries/money/wallets.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { formatMinor, max, min, toJsonInteger } from './money.ts';
import { calendarMonth } from './period.ts';
import type { Charge, ChargeLine } from './pricing.ts';

/**
 * The ways in which money moves. Each runs inside the caller's transaction, so that charges, orders, jobs and the VM's
 * row are committed together. The wallet is locked before its orders and invoices, and after its VM and that VM's jobs:
 * see `db/lock-order.ts`.
 *
 * top-up   clearing → wallet    hold     wallet → hold                   capture  hold → deferred, tax
 * payout   wallet → clearing    charge   wallet → deferred, tax          refund   deferred, tax → wallet
 *                               release  hold → wallet                  debt     receivable → wallet
 *
 * A deposit is a line of unit "deposit": it stays held after its order is completed, until a later order takes it out
 * of the hold, to pay for usage (capture) or to return it to the owner (release). It is not a sale, so it is on no
 * document.
 *
 * Promotional credit is spent first: an order that uses it goes through the hold, where `promo` comes before `wallet`.
 * When an order refunds a part of a period, credit gets the share that it had paid of that period, so that it never
 * becomes money (`db/queries/promo-returns.ts`). `promo-credits.ts` grants and ends it; `chart.ts` has all accounts.
 */
export interface LedgerContext {
  tx: Transaction;
  clock: Clock;
}

export interface OrderRequest {
  accountId: string;
  /** Null if the order concerns no VM. */
  vmId: string | null;
  kind: OrderKind;
  charge: Charge;
  at: Date;
  /** The wallet as locked by the caller; locked here if absent. */
  wallet?: WalletRow;
  /**
   * For an order that is settled at once: the part that the wallet does not cover becomes a debt. Otherwise, the order
   * is refused.
   */
  onDebt?: boolean;
  /** Only for an order of kind "adjustment". */
  adjustment?: Adjustment;
  /**
   * The most that promotional credit pays of the order; 0 also means that promotional credit gets nothing back. If
   * absent, it is spent first.
   */
  promoAtMost?: bigint;
}

/** Throws `insufficient_funds` if a wallet cannot pay `required` on top of the account's debt. */
export function requireFunds(wallet: WalletRow, required: bigint): void {
  const spendable = spendableMinor(wallet);
  if (required > spendable)
    throw insufficientFunds('The wallet does not cover this charge.', required, spendable, wallet.currency);
}

/** Returns the part of an account's debt that the money in its wallet does not cover. */
export function unpaidDebt({ available_minor, promo_minor, claimed_minor }: WalletRow): bigint {
  return max(claimed_minor - (available_minor - promo_minor), 0n);
}

/** Returns the amount that a wallet can spend: its promotional credit, and its money minus the account's debt. */
export function spendableMinor({ available_minor, promo_minor, claimed_minor }: WalletRow): bigint {
  return promo_minor + max(available_minor - promo_minor - claimed_minor, 0n);
}

/** Returns how much must be topped up to buy something new for `required`: a debt has to be paid first. */
export function purchaseShortfall(wallet: WalletRow, required: bigint): bigint {
  return required > 0n ? unpaidDebt(wallet) + max(required - spendableMinor(wallet), 0n) : 0n;
}

/** Throws `insufficient_funds` for a new order if the wallet cannot pay it, or if the account has a debt. */
export function requireFree(wallet: WalletRow, required: bigint): void {
  const refusal = purchaseRefusal(wallet, required);
  if (refusal) throw refusal;
}

/** Returns why a new order that costs `required` is refused for lack of money; null if it is not. */
export function purchaseRefusal(wallet: WalletRow, required: bigint): ApiError | null {
  const shortfall = purchaseShortfall(wallet, required);
  if (shortfall === 0n) return null;
  const { claimed_minor: debt, currency } = wallet;
  const available = spendableMinor(wallet);
  if (debt === 0n)
    return insufficientFunds(short(required - available, currency), required, available, currency);
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

/**
 * Throws `insufficient_funds` if the wallet's money does not cover `required`. Promotional credit does not count,
 * because it is never paid out.
 */
export function requireMoney({ available_minor, promo_minor, currency }: WalletRow, required: bigint): void {
  const money = available_minor - promo_minor;
  if (required > money)
    throw insufficientFunds(
      'The wallet does not cover this amount. Promotional credit is never paid out.',
      required,
      money,
      currency,
    );
}

/** For a purchase: the customer can solve it. */
const short = (shortfall: bigint, currency: string) =>
  `Your wallet is ${formatMinor(shortfall, currency)} short. Top up to continue.`;

function insufficientFunds(message: string, required: bigint, available: bigint, currency: string): ApiError {
  return new ApiError('insufficient_funds', message, {
    required_minor: toJsonInteger(required),
    available_minor: toJsonInteger(available),
    shortfall_minor: toJsonInteger(required - available),
    currency,
  });
}

/** Returns the part of `total` that a wallet cannot pay. */
export function uncollectible(wallet: WalletRow, total: bigint): bigint {
  return max(total - spendableMinor(wallet), 0n);
}

/** Throws `price_changed` if the charge exceeds what the caller agreed to pay. */
export function requireAtMost(charge: Charge, maxChargeMinor: number | undefined): void {
  if (maxChargeMinor === undefined || charge.total_minor <= BigInt(maxChargeMinor)) return;
  throw new ApiError('price_changed', 'The price is above max_charge_minor.', {
    max_charge_minor: maxChargeMinor,
    price_minor: toJsonInteger(charge.total_minor),
  });
}

/**
 * Places an order whose work is still to be done. The price is held; a refund waits until the work succeeds.
 * {@link completeOrder} or {@link failOrder} settles the order.
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

/** Like {@link completeOrder}, for an order from {@link lockPendingOrder}. */
export async function completeLocked(context: LedgerContext, order: OrderRow, at: Date): Promise<void> {
  await complete(context, order, order.amount_minor > 0n ? 'hold' : 'wallet', at);
}

/** Settles a pending order whose work failed or was cancelled: the wallet is as if the order had never existed. */
export async function failOrder(
  context: LedgerContext,
  accountId: string,
  orderId: string,
  at: Date,
): Promise<void> {
  const order = await lockPendingOrder(context.tx, accountId, orderId);
  if (order) await failLocked(context, order, at);
}

/** Like {@link failOrder}, for an order from {@link lockPendingOrder}. */
export async function failLocked(context: LedgerContext, order: OrderRow, at: Date): Promise<void> {
  if (order.amount_minor > 0n) {
    const promo = await undrawPromo(context.tx, order.id);
    await release(context, order, promo, at);
  }
  await settleOrder(context.tx, order, { status: 'failed', invoiceId: null, balanceAfterMinor: null, at });
}

/** Locks the wallet, which every settlement needs, then reads the order; undefined if it is already settled. */
export async function lockPendingOrder(
  tx: Transaction,
  accountId: string,
  orderId: string,
): Promise<OrderRow | undefined> {
  const [, order] = await Promise.all([lockWallet(tx, accountId), findPendingOrder(tx, orderId)]);
  return order;
}

/** Places an order and settles it at once: a renewal, or the refund of a deletion. */
export async function settleNow(context: LedgerContext, request: OrderRequest): Promise<OrderRow> {
  const { charge, onDebt, promoAtMost, at } = request;
  const wallet = withPromo(await lockWallet(context.tx, request.accountId), promoAtMost);
  const owed = onDebt ? uncollectible(wallet, charge.total_minor) : 0n;
  requireFunds(wallet, max(charge.total_minor - owed, 0n));
  const order = await writeOrder(context, request, wallet);
  // The sale is booked in full: the part that the customer still owes is lent to the wallet.
  const lent = { debit: 'receivable', credit: 'wallet', reason: 'debt' } as const;
  await move(context, order, { ...lent, amountMinor: owed, at });
  if (owed > 0n)
    await insertVmDebt(context.tx, { order_id: order.id, account_id: order.account_id, owed_minor: owed });
  const byHold = order.amount_minor > 0n && (wallet.promo_minor > 0n || order.deposit_minor !== null);
  if (byHold) await hold(context, wallet, order, at);
  return complete(context, order, byHold ? 'hold' : 'wallet', at, {
    promoAtMost,
    sells: charge.lines.some(isSale),
  });
}

/** Returns the wallet with at most `most` of its promotional credit. */
function withPromo(wallet: WalletRow, most = wallet.promo_minor): WalletRow {
  const promo_minor = min(wallet.promo_minor, most);
  const available_minor = wallet.available_minor - wallet.promo_minor + promo_minor;
  return { ...wallet, promo_minor, available_minor };
}

/** Holds the price of an order, promotional credit first. */
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

/** Releases the hold of an order: `promo` of it is promotional credit, the rest money. */
async function release(context: LedgerContext, order: OrderRow, promo: bigint, at: Date): Promise<void> {
  const money = max(order.amount_minor, -order.amount_minor) - promo;
  await move(context, order, { debit: 'hold', credit: 'promo', amountMinor: promo, reason: 'release', at });
  await move(context, order, { debit: 'hold', credit: 'wallet', amountMinor: money, reason: 'release', at });
}

/**
 * Books an order by its lines and adds it to the draft of its month: an invoice, or a credit note if it gives money
 * back.
 */
async function complete(
  context: LedgerContext,
  order: OrderRow,
  sold: 'wallet' | 'hold',
  at: Date,
  { promoAtMost, sells }: { promoAtMost?: bigint; sells?: boolean } = {},
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
    // An order that only moves a deposit sells nothing. Hours and the refund of an add-on can add up to zero too.
    deposit_minor !== null && !(sells ?? amountMinor !== 0n)
      ? null
      : draftFor(context.tx, document, context.clock),
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

const isSale = ({ unit, amount_minor }: ChargeLine) => unit !== 'deposit' && amount_minor !== 0n;

/** Returns the share of a refund that belongs to promotional credit, after adding it to the credit that paid. */
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

/** Moves money of an order; does nothing if the amount is zero. */
async function move(
  { tx }: LedgerContext,
  { account_id: accountId, id: orderId }: OrderRow,
  leg: Pick<Transfer, 'debit' | 'credit' | 'amountMinor' | 'reason' | 'at'>,
): Promise<void> {
  if (leg.amountMinor > 0n) await post(tx, { accountId, orderId, ...leg });
}
