import { netOfPeriod } from '../../../db/queries/money/adjustments.ts';
import type { Adjustment, OrderRow } from '../../../db/queries/money/orders.ts';
import { lockWallet } from '../../../db/queries/money/wallets.ts';
import { updateVm, type VmRow } from '../../../db/queries/vms/vms.ts';
import { requireRoom } from '../../accounts/book-payment.ts';
import { recordSystemEvent } from '../../vms/events.ts';
import { type AddOn, addOnsOf, periodOf, storedAddOns } from '../add-ons.ts';
import { type LedgerContext, settleNow } from '../ledger.ts';
import { formatMinor } from '../money.ts';
import type { Charge } from '../pricing.ts';

/** A correction that has been decided; the caller holds the lock of its VM, if there is one. */
export interface DecidedAdjustment {
  accountId: string;
  vm: VmRow | undefined;
  adjustment: Adjustment;
  charge: Charge;
  /**
   * The most that promotional credit pays of the correction; 0 also means that promotional credit gets nothing back. If
   * absent, the rule of any other order of the VM applies.
   */
  promoAtMost?: bigint;
}

const WORDS: Record<Adjustment['type'], string> = {
  credit: 'credited',
  debit: 'debited',
  refund: 'refunded',
  void: 'voided a charge or a correction of',
  sla_credit: 'credited for an outage',
};

/**
 * Settles a correction right away: an order with its document, and an event of its VM. Throws `insufficient_funds` if
 * the wallet does not cover a debit, and `too_large` if a credit would exceed its maximum.
 */
export async function settleAdjustment(
  ledger: LedgerContext,
  { accountId, vm, adjustment, charge, promoAtMost }: DecidedAdjustment,
): Promise<OrderRow> {
  const { tx, clock } = ledger;
  const at = clock.now();
  const wallet = await lockWallet(tx, accountId);
  if (charge.total_minor < 0n) requireRoom(wallet, -charge.total_minor);
  const order = await settleNow(ledger, {
    accountId,
    vmId: vm?.id ?? null,
    kind: 'adjustment',
    charge,
    at,
    adjustment,
    promoAtMost,
  });
  if (!vm) return order;
  // A line without a service period belongs to no month, not even to one whose sale is still pending.
  if (charge.lines.some(({ from_at, to_at }) => from_at < to_at)) await limitRefunds(ledger, vm);
  const { type, reason } = adjustment;
  const magnitude = order.amount_minor < 0n ? -order.amount_minor : order.amount_minor;
  const message = `The operator ${WORDS[type]} ${formatMinor(magnitude, order.currency)}: ${reason}`;
  const metadata = { order_id: order.id, type };
  const subject = { account_id: accountId, vm_id: vm.id };
  await recordSystemEvent(tx, clock, subject, 'info', { type: 'billing.adjusted', message, metadata });
  return order;
}

/**
 * Records the amount left of the running period of a VM and of each of its add-ons, so that neither a change nor its
 * deletion refunds more.
 */
async function limitRefunds({ tx, clock }: LedgerContext, vm: VmRow): Promise<void> {
  if (vm.deleted_at || vm.deletion_failed_at || vm.status === 'deleting') return;
  const addOns: AddOn[] = [];
  for (const addOn of addOnsOf(vm))
    addOns.push({ ...addOn, refundable: await netOfPeriod(tx, periodOf(vm, addOn), addOn.code) });
  const limits = { refundable_minor: await netOfPeriod(tx, vm), add_ons: storedAddOns(addOns) };
  await updateVm(tx, vm.id, limits, clock.now());
}
