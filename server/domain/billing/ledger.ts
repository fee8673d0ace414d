import type { Transaction } from '../../db/database.ts';
import { invoiceForMonth } from '../../db/queries/invoices.ts';
import {
  insertOrder,
  lockPendingOrder,
  type OrderKind,
  type OrderRow,
  settleOrder,
} from '../../db/queries/orders.ts';
import { lockWallet, transfer, type WalletRow } from '../../db/queries/wallets.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { max, toJsonInteger } from './money.ts';
import { calendarMonth } from './period.ts';
import type { Charge } from './pricing.ts';

/**
 * The ways money moves. Each runs inside the caller's transaction, so that what is charged, ordered, queued
 * and remembered commits together. The wallet is locked first, everywhere: one order of locks, no deadlock.
 *
 * top-up   cash → wallet        hold     wallet → hold        capture  hold → revenue
 * release  hold → wallet        charge   wallet → revenue     refund   revenue → wallet
 */
export interface LedgerContext {
  tx: Transaction;
  clock: Clock;
  taxRate: string;
}

export interface OrderRequest {
  accountId: string;
  vmId: string;
  kind: OrderKind;
  charge: Charge;
  at: Date;
}

/** Refuses with `insufficient_funds` when a wallet cannot pay `required`. */
export function requireFunds(wallet: WalletRow, required: bigint): void {
  if (required <= wallet.available_minor) return;
  throw new ApiError('insufficient_funds', 'The wallet does not cover this charge.', {
    required_minor: toJsonInteger(required),
    available_minor: toJsonInteger(wallet.available_minor),
    shortfall_minor: toJsonInteger(required - wallet.available_minor),
    currency: wallet.currency,
  });
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
  const wallet = await lockWallet(context.tx, request.accountId);
  const total = request.charge.total_minor;
  requireFunds(wallet, max(total, 0n));
  const order = await writeOrder(context, request, wallet, 'pending');
  if (total > 0n)
    await move(context, request.accountId, 'wallet', 'hold', total, 'hold', order.id, request.at);
  return order;
}

/** Settles a pending order whose work succeeded: captures the hold, or pays the refund. */
export async function completeOrder(
  context: LedgerContext,
  accountId: string,
  orderId: string,
  at: Date,
): Promise<void> {
  const wallet = await lockWallet(context.tx, accountId);
  const order = await lockPendingOrder(context.tx, orderId);
  if (!order) return;
  if (order.amount_minor > 0n)
    await move(context, accountId, 'hold', 'revenue', order.amount_minor, 'capture', orderId, at);
  if (order.amount_minor < 0n)
    await move(context, accountId, 'revenue', 'wallet', -order.amount_minor, 'refund', orderId, at);
  await settleOrder(
    context.tx,
    orderId,
    'completed',
    await invoice(context, accountId, wallet.currency, at),
    at,
  );
}

/** Settles a pending order whose work failed or was cancelled: the wallet is as if it had never been. */
export async function failOrder(
  context: LedgerContext,
  accountId: string,
  orderId: string,
  at: Date,
): Promise<void> {
  await lockWallet(context.tx, accountId);
  const order = await lockPendingOrder(context.tx, orderId);
  if (!order) return;
  if (order.amount_minor > 0n)
    await move(context, accountId, 'hold', 'wallet', order.amount_minor, 'release', orderId, at);
  await settleOrder(context.tx, orderId, 'failed', null, at);
}

/** An order that is settled as it is placed: a renewal, or the refund of a deletion. */
export async function settleNow(context: LedgerContext, request: OrderRequest): Promise<OrderRow> {
  const wallet = await lockWallet(context.tx, request.accountId);
  const total = request.charge.total_minor;
  requireFunds(wallet, max(total, 0n));
  const order = await writeOrder(context, request, wallet, 'completed');
  if (total > 0n)
    await move(context, request.accountId, 'wallet', 'revenue', total, 'charge', order.id, request.at);
  if (total < 0n)
    await move(context, request.accountId, 'revenue', 'wallet', -total, 'refund', order.id, request.at);
  const invoiceId = await invoice(context, request.accountId, wallet.currency, request.at);
  await settleOrder(context.tx, order.id, 'completed', invoiceId, request.at);
  return { ...order, invoice_id: invoiceId, settled_at: request.at };
}

function writeOrder(
  context: LedgerContext,
  request: OrderRequest,
  wallet: WalletRow,
  status: 'pending' | 'completed',
) {
  return insertOrder(
    context.tx,
    {
      id: newId('ord', context.clock),
      account_id: request.accountId,
      vm_id: request.vmId,
      kind: request.kind,
      status,
      amount_minor: request.charge.total_minor,
      balance_after_minor: wallet.available_minor - request.charge.total_minor,
      currency: wallet.currency,
      created_at: request.at,
      settled_at: null,
    },
    request.charge.lines,
  );
}

function invoice(context: LedgerContext, accountId: string, currency: string, at: Date): Promise<string> {
  const month = calendarMonth(at);
  return invoiceForMonth(
    context.tx,
    { accountId, ...month, currency, taxRate: context.taxRate },
    context.clock,
  );
}

type Leg = 'wallet' | 'hold' | 'revenue';

function move(
  context: LedgerContext,
  accountId: string,
  debit: Leg,
  credit: Leg,
  amountMinor: bigint,
  reason: string,
  orderId: string,
  at: Date,
) {
  return transfer(context.tx, { accountId, debit, credit, amountMinor, reason, orderId, at });
}
