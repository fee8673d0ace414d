import type { VmRow } from '../../db/queries/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { findPlan } from '../catalog/lookup.ts';
import { startOfDay } from '../catalog/prices.ts';
import { addMonth } from './period.ts';

const DAY_MS = 86_400_000;
/** A VM ends with its plan only after a notice of at least so many days. */
const LEAST_NOTICE_DAYS = 7;

/** What decides on whether a VM is renewed at the end of its period. */
export type Renewable = Pick<VmRow, 'auto_renew' | 'billing_period_end_at' | 'retires_at'>;

/** Whether a VM ends with its period because its plan is retired and its owner had notice. */
export function isRetired({ billing_period_end_at, retires_at }: Omit<Renewable, 'auto_renew'>): boolean {
  return retires_at !== null && billing_period_end_at >= retires_at;
}

/** Whether a VM is to be renewed when its period ends: its owner wants it, and its plan allows it. */
export function isRenewed(vm: Renewable): boolean {
  return vm.auto_renew && !isRetired(vm);
}

/**
 * When a VM's last period ends because its plan is retired, null where it is not: the first end from that day on of
 * which notice can still be given in time. A notice that was given stays, unless the catalog has a later day now, or
 * an earlier one that can still be kept.
 */
export function retirementOf(vm: VmRow, catalog: Catalog, now: Date): Date | null {
  const day = vm.plan === null ? undefined : findPlan(catalog, vm.plan)?.retires_on;
  if (day === undefined) return null;
  const from = startOfDay(day);
  const told = vm.retires_at && vm.retires_at >= from ? vm.retires_at : null;
  // One that is over starts over, if at all.
  if (vm.suspended_at || !vm.auto_renew) return told;
  const noticeMs = Math.max(catalog.price_notice_days ?? 0, LEAST_NOTICE_DAYS) * DAY_MS;
  let end = vm.billing_period_end_at;
  while (end < from || end.getTime() < now.getTime() + noticeMs) end = addMonth(end, vm.billing_anchor_day);
  return told && told < end ? told : end;
}
