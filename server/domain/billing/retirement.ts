import type { VmRenewal } from '../../db/queries/vms/vm-parts.ts';
import type { VmRow } from '../../db/queries/vms/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { findPlan } from '../catalog/lookup.ts';
import { startOfDay } from '../catalog/prices.ts';
import { addMonth } from './period.ts';

const DAY_MS = 86_400_000;
/** Minimum notice, in days, before a VM ends with its plan. */
const LEAST_NOTICE_DAYS = 7;

/** Returns whether a VM ends with its period because its plan is retired and its owner was notified. */
export function isRetired({ billing_period_end_at, retires_at }: Omit<VmRenewal, 'auto_renew'>): boolean {
  return retires_at !== null && billing_period_end_at >= retires_at;
}

/** Returns whether a VM will be renewed when its period ends: its owner wants it, and its plan allows it. */
export function isRenewed(vm: VmRenewal): boolean {
  return vm.auto_renew && !isRetired(vm);
}

/**
 * Returns when a VM's last period ends because its plan is retired, null if it is not: the first end of a period on or
 * after that day that still leaves time for the notice. A notice that was given stands, unless the catalog now has a
 * later day, or an earlier one that can still be met.
 */
export function retirementOf(
  vm: VmRenewal & Pick<VmRow, 'plan' | 'suspended_at' | 'billing_anchor_day'>,
  catalog: Catalog,
  now: Date,
): Date | null {
  const day = vm.plan === null ? undefined : findPlan(catalog, vm.plan)?.retires_on;
  if (day === undefined) return null;
  const from = startOfDay(day);
  const told = vm.retires_at && vm.retires_at >= from ? vm.retires_at : null;
  // A VM whose period is over would start a new one, if at all.
  if (vm.suspended_at || !vm.auto_renew) return told;
  const noticeMs = Math.max(catalog.price_notice_days ?? 0, LEAST_NOTICE_DAYS) * DAY_MS;
  let end = vm.billing_period_end_at;
  while (end < from || end.getTime() < now.getTime() + noticeMs) end = addMonth(end, vm.billing_anchor_day);
  return told && told < end ? told : end;
}
