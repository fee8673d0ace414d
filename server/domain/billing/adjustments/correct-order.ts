import {
  type Remainder,
  remaindersOf,
  systemFindOrder,
  uncollected,
} from '../../../db/queries/money/adjustments.ts';
import type { AdjustmentType, OrderRow } from '../../../db/queries/money/orders.ts';
import { promoReturnedBy } from '../../../db/queries/money/promo-returns.ts';
import { lockWallet } from '../../../db/queries/money/wallets.ts';
import { systemFindVm } from '../../../db/queries/vms/vms.ts';
import { ApiError, invalidField, notFound } from '../../../platform/errors.ts';
import { requireOpen } from '../../accounts/account-status.ts';
import { charge } from '../charge-line.ts';
import type { LedgerContext } from '../ledger.ts';
import { formatMinor, max } from '../money.ts';
import { adjustmentLine } from './lines.ts';
import { settleAdjustment } from './settle-adjustment.ts';
import { refundableOf, shareOut } from './share-out.ts';

export interface Correction {
  orderId: string;
  reason: string;
  actor: string;
}

/** Corrections that gave money; undoing them takes it back. */
const GIVEN: readonly (AdjustmentType | null)[] = ['credit', 'refund', 'sla_credit'];

/**
 * Refunds `amount` of a charge, or all that is left of it, at the tax rate of the sale. Never refunds more than was
 * paid minus earlier refunds, whether by other corrections, by changes of the VM or by its deletion.
 */
export async function refundOrder(
  ledger: LedgerContext,
  correction: Correction,
  amountIn: (currency: string) => bigint | undefined,
): Promise<OrderRow> {
  const order = await requireCharge(ledger, correction.orderId);
  return correct(ledger, order, correction, 'refund', amountIn(order.currency));
}

/** Undoes what is left of an order: refunds a charge, or reverses a credit, refund or SLA credit in full. */
export async function voidOrder(ledger: LedgerContext, correction: Correction): Promise<OrderRow> {
  const { orderId } = correction;
  const found = await requireCompleted(ledger, orderId);
  const order = GIVEN.includes(found.adjustment) ? found : await requireCharge(ledger, orderId);
  return correct(ledger, order, correction, 'void', undefined);
}

async function correct(
  ledger: LedgerContext,
  order: OrderRow,
  { reason, actor }: Correction,
  type: 'refund' | 'void',
  wanted: bigint | undefined,
): Promise<OrderRow> {
  const { tx } = ledger;
  const { account_id: accountId, currency } = order;
  await requireOpen(tx, accountId);
  const vm = order.vm_id === null ? undefined : await systemFindVm(tx, order.vm_id, true);
  // No other correction or settlement can happen from here on.
  await lockWallet(tx, accountId);
  const remainders = await remaindersOf(tx, order);
  const parts = GIVEN.includes(order.adjustment)
    ? remainders.map((remainder) => ({ remainder, amount: remainder.amount_minor }))
    : shareOut(remainders, amountOf(await collected(ledger, order, remainders), wanted, currency));
  if (parts.length === 0) throw nothingLeft();
  const lines = parts
    .filter(({ amount }) => amount !== 0n)
    .map(({ remainder, amount }) => lineOf(remainder, -amount, currency, type, reason));
  const adjustment = { type, reason, actor, correctsOrderId: order.id };
  const promoAtMost = await promoAtMostOf(ledger, order);
  return settleAdjustment(ledger, { accountId, vm, adjustment, charge: charge(lines), promoAtMost });
}

/** A correction of a correction moves the same kinds of money back, so that promotional credit never becomes money. */
async function promoAtMostOf({ tx }: LedgerContext, order: OrderRow): Promise<bigint | undefined> {
  if (order.adjustment === 'credit' || order.adjustment === 'debit') return 0n;
  return order.adjustment === null ? undefined : (await promoReturnedBy(tx, order.id)).promo_minor;
}

/**
 * Returns the remainder of an order, minus the part that the wallet did not cover and that was therefore never paid.
 */
async function collected({ tx }: LedgerContext, { id }: OrderRow, remainders: Remainder[]): Promise<bigint> {
  return max(refundableOf(remainders) - (await uncollected(tx, id)), 0n);
}

function amountOf(left: bigint, wanted: bigint | undefined, currency: string): bigint {
  if (left === 0n) throw nothingLeft();
  if (wanted !== undefined && wanted > left)
    throw invalidField(
      'amount',
      'too_large',
      `must be at most ${formatMinor(left, currency)}, the remaining amount of the order`,
    );
  return wanted ?? left;
}

const nothingLeft = () =>
  new ApiError('invalid_state', 'Nothing is left to refund: the whole order has been refunded or undone.');

const VERB = { refund: 'Refund', void: 'Void' } as const;

function lineOf(of: Remainder, amount: bigint, currency: string, type: 'refund' | 'void', reason: string) {
  const period = { startAt: of.from_at, endAt: of.to_at };
  const tax = { rate: of.tax_rate, category: of.tax_category!, reason: of.tax_reason };
  const line = adjustmentLine(
    `${VERB[type]} of ${of.description} (${reason})`,
    amount,
    currency,
    period,
    tax,
  );
  return { ...line, add_on: of.add_on };
}

async function requireCompleted({ tx }: LedgerContext, orderId: string): Promise<OrderRow> {
  const order = await systemFindOrder(tx, orderId);
  if (!order) throw notFound();
  if (order.status === 'pending')
    throw new ApiError(
      'invalid_state',
      'The order is pending: nothing has been charged. Wait for its job, or abandon the job (vaubanctl job abandon) to release the held amount.',
      { status: order.status },
    );
  if (order.status !== 'completed')
    throw new ApiError('invalid_state', 'The order failed: nothing was charged.', { status: order.status });
  return order;
}

/** Returns an order that took money and does not undo another order. */
async function requireCharge(ledger: LedgerContext, orderId: string): Promise<OrderRow> {
  const order = await requireCompleted(ledger, orderId);
  if (order.adjustment === 'void')
    throw new ApiError(
      'invalid_state',
      'A void cannot be undone. Correct it with a credit, a debit or another refund.',
    );
  // Only the usage of a deposit is sold, whatever else was released together with it.
  if (order.amount_minor > (order.deposit_minor ?? 0n)) return order;
  throw new ApiError('invalid_state', 'The order charged nothing that could be refunded.', {
    kind: order.kind,
    amount_minor: order.amount_minor.toString(),
  });
}
