import type { JobRow } from '../../db/queries/jobs.ts';
import type { OrderRow } from '../../db/queries/orders.ts';
import type { VmView } from '../../db/queries/vms.ts';
import { lockWallet } from '../../db/queries/wallets.ts';
import { settleNow } from '../billing/ledger.ts';
import { type Charge, deletionCharge } from '../billing/pricing.ts';
import { ledger } from '../billing/vm-orders.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { currentConfiguration } from './configuration.ts';
import { type JobStart, startJob } from './start-job.ts';
import { requireAllowed } from './states.ts';

/** What giving the VM up at `now` gives back, as a negative charge; a VM that was never paid for gives nothing. */
export function priceOfDeletion(catalog: Catalog, vm: VmView, now: Date): Charge {
  if (!vm.provisioned_at) return { lines: [], total_minor: 0n };
  const period = { startAt: vm.billing_period_start_at, endAt: vm.billing_period_end_at };
  return deletionCharge(currentConfiguration(vm, catalog), period, now, catalog.currency);
}

/**
 * Deletes a VM. The refund is paid in this transaction, at the very amount that the preview shows at this
 * instant; whatever job was running is cancelled and what it held is released.
 */
export async function deleteVm(
  start: JobStart,
  vm: VmView,
): Promise<{ job: JobRow; refund: OrderRow | null }> {
  const { db, services, now } = start;
  requireAllowed(vm, 'delete');
  await lockWallet(db, vm.account_id);
  const job = await startJob(start, vm, { kind: 'delete' });
  const charge = priceOfDeletion(services.catalog, vm, now);
  if (charge.total_minor === 0n) return { job, refund: null };
  const order = { accountId: vm.account_id, vmId: vm.id, kind: 'delete_refund' as const, charge, at: now };
  return { job, refund: await settleNow(ledger(services, db), order) };
}
