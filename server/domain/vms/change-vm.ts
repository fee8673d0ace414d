import type { JobRow } from '../../db/queries/jobs.ts';
import type { OrderRow } from '../../db/queries/orders.ts';
import type { VmView } from '../../db/queries/vms.ts';
import { lockWallet } from '../../db/queries/wallets.ts';
import type { ApiError } from '../../platform/errors.ts';
import { placeOrder, requireAtMost, requireFunds } from '../billing/ledger.ts';
import { max } from '../billing/money.ts';
import { type Charge, type Configuration, changeCharge, type Size } from '../billing/pricing.ts';
import { ledger } from '../billing/vm-orders.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { findTemplate } from '../catalog/lookup.ts';
import {
  currentConfiguration,
  planFor,
  requireCustom,
  requireNoShrink,
  requirePlan,
  requireRoomFor,
  requireSoldIn,
} from './configuration.ts';
import type { ResizeInput } from './job-inputs.ts';
import { requireQuota } from './quotas.ts';
import { type JobStart, startJob } from './start-job.ts';
import { requireResizable } from './states.ts';

/** The configuration that a plan would give this VM, or the refusal: the one check of quotes and changes. */
export function planChange(catalog: Catalog, vm: VmView, code: string, resizeDisk: boolean): Configuration {
  const plan = requirePlan(catalog, code);
  requireSoldIn(plan, vm.region);
  const target = planFor(vm, plan, catalog.currency, resizeDisk);
  requireFit(catalog, vm, target);
  return target;
}

/** The custom configuration of this size, or the refusal. Sizes not named stay as they are. */
export function customChange(catalog: Catalog, vm: VmView, wish: Partial<Size>): Configuration {
  const { vcpu, ram_mb, disk_gb } = {
    vcpu: vm.vcpu,
    ram_mb: vm.ram_mb,
    disk_gb: vm.disk_gb,
    ...defined(wish),
  };
  requireNoShrink(vm, { vcpu, ram_mb, disk_gb });
  const target = requireCustom(catalog, { vcpu, ram_mb, disk_gb });
  requireFit(catalog, vm, target);
  return target;
}

function defined(wish: Partial<Size>): Partial<Size> {
  return Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));
}

function requireFit(catalog: Catalog, vm: VmView, target: Configuration): void {
  requireNoShrink(vm, target);
  const template = findTemplate(catalog, vm.template);
  if (template) requireRoomFor(template, target);
}

/** What the change costs at `now`; the quote and the charge are both this. */
export function priceOfChange(catalog: Catalog, vm: VmView, target: Configuration, now: Date): Charge {
  const period = { startAt: vm.billing_period_start_at, endAt: vm.billing_period_end_at };
  return changeCharge(currentConfiguration(vm, catalog), target, period, now, catalog.currency);
}

export interface ChangeRequest {
  kind: 'change_plan' | 'change_custom';
  target: Configuration;
  allowReboot: boolean;
  maxChargeMinor: number | undefined;
  /** What the driver said of the new size; null where there is room. */
  admission: ApiError | null;
}

/** Changes a VM's configuration: holds what is to pay, or promises what is given back, and starts the job. */
export async function changeVm(
  start: JobStart,
  vm: VmView,
  request: ChangeRequest,
): Promise<{ job: JobRow; order: OrderRow }> {
  const { db, services, now } = start;
  const { kind, target } = request;
  requireResizable(vm, request.allowReboot);
  const wallet = await lockWallet(db, vm.account_id);
  await requireQuota(db, services.catalog, vm.account_id, {
    vms: 0,
    vcpu: target.vcpu - vm.vcpu,
    ram_mb: target.ram_mb - vm.ram_mb,
    disk_gb: target.disk_gb - vm.disk_gb,
  });
  const charge = priceOfChange(services.catalog, vm, target, now);
  requireAtMost(charge, request.maxChargeMinor);
  requireFunds(wallet, max(charge.total_minor, 0n));
  if (request.admission) throw request.admission;
  const order = await placeOrder(ledger(services, db), {
    accountId: vm.account_id,
    vmId: vm.id,
    kind,
    charge,
    at: now,
  });
  const input: ResizeInput = {
    plan: target.plan,
    vcpu: target.vcpu,
    ram_mb: target.ram_mb,
    disk_gb: target.disk_gb,
    bandwidth_gb: target.bandwidth_gb,
    price_monthly_minor: target.price_monthly_minor.toString(),
    restart: vm.status === 'running',
  };
  return { job: await startJob(start, vm, { kind, input, orderId: order.id }), order };
}
