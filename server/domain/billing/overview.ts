import type { MeteredVm } from '../../db/queries/money/meters.ts';
import type { VmDunning, VmIdentity, VmRenewal } from '../../db/queries/vms/vm-parts.ts';
import type { VmRow } from '../../db/queries/vms/vms.ts';
import type { SalesCatalog } from '../catalog/buyer-prices.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { addOnsRenewalMinor } from './add-ons.ts';
import { arrearsOf, openUsageMinor } from './arrears.ts';
import { deletionAt, graceEnd } from './grace.ts';
import { sum } from './money.ts';
import { calendarMonth } from './period.ts';
import { renewalConfiguration } from './renewal-price.ts';
import { isRenewed } from './retirement.ts';

/** The charge that renews a VM. */
export interface Renewal {
  vm_id: string;
  /** The actual cost of the renewal, including usage so far; everything due by now if the period is over. */
  amount_minor: bigint;
  /** End of the paid period; in the past if the wallet did not cover the renewal. */
  due_at: Date;
}

/** When an unpaid VM is switched off and deleted. */
export interface UnpaidSchedule {
  vm_id: string;
  unpaid_since_at: Date;
  /** When the VM is, or was, switched off; the next attempt if switching it off failed. */
  suspends_at: Date;
  /** Null while the VM is on. */
  suspended_at: Date | null;
  deletes_at: Date;
}

const DAY_MS = 86_400_000;
/** Nominal length of a month for estimating a runway. */
const DAYS_PER_MONTH = 30n;

/** Returns for how many whole days `available` lasts at that rate; null if the rate is zero. */
export function runwayDays(available: bigint, burnRateMonthly: bigint): bigint | null {
  return burnRateMonthly === 0n ? null : (available * DAYS_PER_MONTH) / burnRateMonthly;
}

/** Returns the monthly cost of those of `vms` that renew, at the prices of their next renewals. */
export function burnRateMonthly(vms: VmRow[], catalog: SalesCatalog, now: Date): bigint {
  return sum(vms.filter(renews).map((vm) => monthMinor(vm, catalog, now)));
}

/** Returns the price of a VM's next month with its add-ons. */
function monthMinor(vm: VmRow, catalog: SalesCatalog, now: Date): bigint {
  return renewalConfiguration(vm, catalog, now).price_monthly_minor + addOnsRenewalMinor(vm, catalog, now);
}

function renews(vm: VmRenewal & Pick<VmRow, 'status' | 'provisioned_at'>): boolean {
  const neverMade = vm.status === 'error' && !vm.provisioned_at;
  return isRenewed(vm) && vm.status !== 'deleting' && !neverMade;
}

/** The next charge of a VM; null if it does not renew, or could not be created. */
export function nextRenewal(vm: MeteredVm, catalog: SalesCatalog, now: Date): Renewal | null {
  if (!renews(vm)) return null;
  const amount_minor =
    arrearsOf(vm, catalog, now)?.total_minor ??
    monthMinor(vm, catalog, now) + openUsageMinor(vm, catalog, now);
  return { vm_id: vm.id, amount_minor, due_at: vm.billing_period_end_at };
}

/** Returns what must be paid now: everything due for the VMs that renew. */
export function overdue(renewals: Renewal[], now: Date): bigint {
  return renewals
    .filter((renewal) => renewal.due_at <= now)
    .reduce((total, renewal) => total + renewal.amount_minor, 0n);
}

/** Returns what will still be charged in the calendar month (UTC) of `now`, overdue renewals included. */
export function dueThisMonth(renewals: Renewal[], now: Date): bigint {
  const { endAt } = calendarMonth(now);
  return renewals
    .filter((renewal) => renewal.due_at < endAt)
    .reduce((total, renewal) => total + renewal.amount_minor, 0n);
}

/** Returns when an unpaid VM is switched off and when it is deleted; null while it is paid. */
export function unpaidSchedule(
  vm: Pick<VmIdentity, 'id'> & VmDunning & Pick<VmRow, 'unpaid_since'>,
  grace: Catalog['grace'],
): UnpaidSchedule | null {
  if (!vm.unpaid_since) return null;
  const suspends = vm.suspended_at ?? notBefore(vm.dunning_next_at, graceEnd(vm, grace));
  const deletes = deletionAt(vm, grace) ?? new Date(suspends.getTime() + grace.delete_after_days * DAY_MS);
  return {
    vm_id: vm.id,
    unpaid_since_at: vm.unpaid_since,
    suspends_at: suspends,
    suspended_at: vm.suspended_at,
    deletes_at: vm.suspended_at ? notBefore(vm.dunning_next_at, deletes) : deletes,
  };
}

/** A failed attempt postpones its action to the next one. */
function notBefore(next: Date | null, due: Date): Date {
  return next && next > due ? next : due;
}
