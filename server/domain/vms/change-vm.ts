import type { HostInfo } from '../../compute/driver.ts';
import { findBillingProfile } from '../../db/queries/money/billing-profiles.ts';
import { withMeter } from '../../db/queries/money/meters.ts';
import type { OrderRow } from '../../db/queries/money/orders.ts';
import { lockWallet } from '../../db/queries/money/wallets.ts';
import type { JobRow } from '../../db/queries/service/jobs.ts';
import type { VmView } from '../../db/queries/vms/vms.ts';
import type { ApiError } from '../../platform/errors.ts';
import { placeOrder, requireAtMost, requireFree } from '../billing/ledger.ts';
import { max } from '../billing/money.ts';
import type { Configuration } from '../billing/pricing.ts';
import { ledger } from '../billing/vm-orders.ts';
import { catalogFor } from '../catalog/buyer-prices.ts';
import { isDedicated } from '../catalog/lookup.ts';
import { type ChangeWish, requireChange } from './decide-change.ts';
import type { ResizeInput } from './job-inputs.ts';
import { readQuota, requireQuota } from './quotas.ts';
import { reserveChange } from './reserve.ts';
import { type PaidJobStart, startJob } from './start-job.ts';

export interface ChangeRequest {
  kind: 'change_plan' | 'change_custom';
  wish: ChangeWish;
  allowReboot: boolean;
  maxChargeMinor: number | undefined;
  /** The engine's answer from before the transaction. */
  hosts: readonly HostInfo[] | ApiError;
}

/** A change on its way, and the size that it leads to. */
export interface VmChange {
  job: JobRow;
  order: OrderRow;
  target: Configuration;
}

/** Changes a VM's configuration: holds the price, or promises the refund, and starts the job. */
export async function changeVm(start: PaidJobStart, vm: VmView, request: ChangeRequest): Promise<VmChange> {
  const { db, services, now } = start;
  const { kind, wish, allowReboot } = request;
  const [buyer, wallet, quota] = await Promise.all([
    findBillingProfile(db, vm.account_id),
    lockWallet(db, vm.account_id),
    readQuota(db, services.catalog, vm.account_id),
  ]);
  const catalog = catalogFor(services.catalog, buyer);
  const metered = await withMeter(db, vm);
  const { target, charge } = requireChange(metered, wish, { catalog, buyer, allowReboot, now });
  requireQuota(quota, {
    vms: 0,
    vcpu: target.vcpu - vm.vcpu,
    ram_mb: target.ram_mb - vm.ram_mb,
    disk_gb: target.disk_gb - vm.disk_gb,
  });
  requireAtMost(charge, request.maxChargeMinor);
  requireFree(wallet, max(charge.total_minor, 0n));
  const order = await placeOrder(ledger(services, db), {
    accountId: vm.account_id,
    vmId: vm.id,
    kind,
    charge,
    at: now,
    wallet,
  });
  const dedicated = isDedicated(catalog, target.plan);
  const input: ResizeInput = {
    plan: target.plan,
    vcpu: target.vcpu,
    ram_mb: target.ram_mb,
    disk_gb: target.disk_gb,
    dedicated,
    bandwidth_gb: target.bandwidth_gb,
    price_monthly_minor: target.price_monthly_minor.toString(),
    tax_rate: charge.tax_rate,
    rounding_remainder: charge.remainder.toString(),
    ...(charge.metering && {
      price_hourly_micros: charge.metering.priceMicros.toString(),
      metered_since: charge.metering.since.toISOString(),
      ...(charge.deposit !== null && { deposit_minor: charge.deposit.toString() }),
    }),
    restart: vm.status === 'running',
  };
  const job = await startJob(start, vm, { kind, input, orderId: order.id });
  await reserveChange({ db, hosts: request.hosts }, vm, { ...target, dedicated });
  return { job, order, target };
}
