import type { VmRow } from '../../db/queries/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { calendarMonth } from './period.ts';
import { renewalConfiguration } from './renewal-price.ts';

/** The charge that renews a VM. */
export interface Renewal {
  vm_id: string;
  amount_minor: bigint;
  /** End of the period that is paid; in the past where the wallet did not cover it. */
  due_at: Date;
}

/** What happens to a VM that stays unpaid. */
export interface UnpaidSchedule {
  vm_id: string;
  unpaid_since_at: Date;
  suspends_at: Date;
  deletes_at: Date;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days that a month is taken to have where a runway is estimated. */
const DAYS_PER_MONTH = 30n;

/** Whole days for which `available` lasts at that rate; null where nothing is burnt. */
export function runwayDays(available: bigint, burnRateMonthly: bigint): bigint | null {
  return burnRateMonthly === 0n ? null : (available * DAYS_PER_MONTH) / burnRateMonthly;
}

/** The next charge of a VM; null where it does not renew, or could not be created. */
export function nextRenewal(vm: VmRow, catalog: Catalog): Renewal | null {
  const neverMade = vm.status === 'error' && !vm.provisioned_at;
  if (!vm.auto_renew || vm.status === 'deleting' || neverMade) return null;
  const amount_minor = renewalConfiguration(vm, catalog).price_monthly_minor;
  return { vm_id: vm.id, amount_minor, due_at: vm.billing_period_end_at };
}

/** What is still to be charged in the calendar month (UTC) of `now`, overdue renewals included. */
export function dueThisMonth(renewals: Renewal[], now: Date): bigint {
  const { endAt } = calendarMonth(now);
  return renewals
    .filter((renewal) => renewal.due_at < endAt)
    .reduce((total, renewal) => total + renewal.amount_minor, 0n);
}

/** When an unpaid VM is switched off and when it is deleted; null while it is paid. */
export function unpaidSchedule(vm: VmRow, grace: Catalog['grace']): UnpaidSchedule | null {
  if (!vm.unpaid_since) return null;
  const suspends =
    vm.suspended_at?.getTime() ?? vm.unpaid_since.getTime() + grace.suspend_after_hours * HOUR_MS;
  return {
    vm_id: vm.id,
    unpaid_since_at: vm.unpaid_since,
    suspends_at: new Date(suspends),
    deletes_at: new Date(suspends + grace.delete_after_days * DAY_MS),
  };
}
