import type { Transaction } from '../../db/database.ts';
import { findBillingProfile } from '../../db/queries/money/billing-profiles.ts';
import { type MeteredVm, withMeter } from '../../db/queries/money/meters.ts';
import type { OrderRow } from '../../db/queries/money/orders.ts';
import { lockWallet } from '../../db/queries/money/wallets.ts';
import type { JobRow } from '../../db/queries/service/jobs.ts';
import { updateVm, type VmRow, type VmView } from '../../db/queries/vms/vms.ts';
import type { Clock } from '../../platform/clock.ts';
import { collectDebt } from '../accounts/book-payment.ts';
import { addOnRefund, addOnsOf } from '../billing/add-ons.ts';
import { leftDebt } from '../billing/dunning-events.ts';
import { settleNow, uncollectible } from '../billing/ledger.ts';
import { sum } from '../billing/money.ts';
import { type Charge, deletionCharge, termsOf } from '../billing/pricing.ts';
import { type StretchUsage, usageOf } from '../billing/usage.ts';
import { stretchesUntil, usedUntil } from '../billing/usage-stretches.ts';
import { endUsage } from '../billing/usage-terms.ts';
import { usedAhead } from '../billing/used-ahead.ts';
import { ledger } from '../billing/vm-orders.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import type { TaxedBuyer } from '../tax/tax.ts';
import { currentConfiguration, hasDeposit, runningPeriod } from './configuration.ts';
import { recordSystemEvent } from './events.ts';
import { type JobStart, startJob } from './start-job.ts';
import { requireAllowed } from './states.ts';

/** The charge for giving up a VM: positive to pay for its usage, negative to refund. */
export interface DeletionCharge extends Charge {
  usage: StretchUsage[];
}

/**
 * Returns the refund for deleting the VM and its add-ons at `now`, minus the charge for its usage since the last one. A
 * VM that was never paid for is not refunded.
 */
export function priceOfDeletion(
  catalog: Catalog,
  vm: MeteredVm,
  now: Date,
  buyer?: TaxedBuyer,
): DeletionCharge {
  if (!vm.provisioned_at) return { lines: [], total_minor: 0n, usage: [] };
  const configuration = currentConfiguration(vm, catalog);
  const running = runningPeriod(vm);
  const period = { ...running, usedAhead: usedAhead(vm, catalog, null, now) };
  const unused = deletionCharge(configuration, period, now);
  const terms = { ...termsOf(catalog, buyer), currency: vm.currency };
  const until = usedUntil(vm, catalog.grace, now);
  const usage = usageOf(vm, stretchesUntil(vm, until), now, configuration.name, terms);
  const used = usage.flatMap(({ lines }) => lines).filter((line) => line.amount_minor !== 0n);
  // A deposit's usage is sold, even if none of the deposit is released.
  const isSettled = unused.total_minor === 0n && !hasDeposit(vm);
  const addOns = addOnsOf(vm)
    .map((addOn) => addOnRefund(addOn, running, now, vm.currency))
    .filter(({ total_minor }) => total_minor !== 0n);
  const lines = [...used, ...(isSettled ? [] : unused.lines), ...addOns.flatMap((refund) => refund.lines)];
  return { lines, total_minor: sum(lines.map((line) => line.amount_minor)), usage };
}

export interface SettledDeletion {
  /** Null if there was nothing to charge or refund. */
  order: OrderRow | null;
  /** The part of the order that the wallet did not cover. */
  debt_minor: bigint;
}

/**
 * Settles the refund and the usage of a VM that is being deleted, with one order. If the usage is higher, the wallet
 * pays as much as it can, and the rest becomes a debt of the account: a lack of money must never prevent an owner from
 * deleting a VM.
 */
export async function settleDeletion(
  services: { clock: Clock; catalog: Catalog },
  tx: Transaction,
  row: VmRow,
  now: Date,
): Promise<SettledDeletion> {
  const vm = await withMeter(tx, row);
  const charge = priceOfDeletion(
    services.catalog,
    vm,
    now,
    vm.usage_priced ? await findBillingProfile(tx, vm.account_id) : undefined,
  );
  let settled: SettledDeletion = { order: null, debt_minor: 0n };
  if (charge.lines.length > 0) {
    const { clock } = services;
    // Owed money cannot pay for anything else, even if no round has collected it yet.
    const wallet =
      charge.total_minor > 0n
        ? await collectDebt(tx, clock, vm.account_id)
        : await lockWallet(tx, vm.account_id);
    const debt_minor = uncollectible(wallet, charge.total_minor);
    const request = {
      accountId: vm.account_id,
      vmId: vm.id,
      kind: 'delete_refund' as const,
      charge,
      at: now,
    };
    const order = await settleNow(ledger(services, tx), { ...request, onDebt: true });
    settled = { order, debt_minor };
    if (debt_minor > 0n) {
      const event = leftDebt(vm.currency, order, debt_minor);
      await recordSystemEvent(
        tx,
        services.clock,
        { account_id: vm.account_id, vm_id: vm.id },
        'warning',
        event,
      );
    }
  }
  const given = {
    ...(hasDeposit(vm) && { deposit_minor: null, deposit_since: null }),
    ...(vm.add_ons && { add_ons: null }),
  };
  if (Object.keys(given).length > 0) await updateVm(tx, vm.id, given, now);
  if (vm.usage_priced) {
    await endUsage(tx, vm, charge.usage, settled.order?.id ?? null, now);
    await updateVm(tx, vm.id, { usage_priced: false }, now);
  }
  return settled;
}

/**
 * Deletes a VM. Its refund is paid in this transaction, in the exact amount that the preview shows at this instant. A
 * running job is cancelled, and its hold is released.
 */
export async function deleteVm(start: JobStart, vm: VmView): Promise<{ job: JobRow } & SettledDeletion> {
  const { db, services, now } = start;
  requireAllowed(vm, 'delete');
  const job = await startJob(start, vm, { kind: 'delete' });
  return { job, ...(await settleDeletion(services, db, vm, now)) };
}
