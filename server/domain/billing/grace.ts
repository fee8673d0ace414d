import type { VmDunning, VmGrace } from '../../db/queries/vms/vm-parts.ts';
import type { VmChange } from '../../db/queries/vms/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { addMonth } from './period.ts';
import { isRenewed } from './retirement.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The owner of a VM is notified of its deletion this far ahead. No VM is deleted without that notice. */
export const DELETION_NOTICE_DAYS = 3;

type Grace = Catalog['grace'];

/**
 * Returns when a VM whose renewal is not paid is suspended: some time after its period. Suspends it right at the end of
 * the period if it was not going to renew, because then nothing is owed, or if it was upgraded shortly before:
 * otherwise a large VM could be had for the price of its last second. Grace that was granted to a VM, or given up by
 * its owner, stays as it was, even if the catalog changes.
 */
export function graceEnd(
  vm: VmGrace,
  { suspend_after_hours, held_hours = suspend_after_hours }: Grace,
): Date {
  const end = vm.billing_period_end_at.getTime();
  // A VM that is off for a debt has no grace left to run in.
  const off = Math.max(end, vm.debt_suspended_at?.getTime() ?? Number.POSITIVE_INFINITY);
  if (vm.grace_ended_at) return new Date(Math.min(vm.grace_ended_at.getTime(), off));
  const upgradedLate = vm.upgraded_at !== null && vm.upgraded_at.getTime() > end - held_hours * HOUR_MS;
  const graceMs = isRenewed(vm) && !upgradedLate ? suspend_after_hours * HOUR_MS : 0;
  return new Date(Math.min(end + graceMs, off));
}

/** Returns the changes to a VM whose owner turns renewal off at `now`: if it is in its grace period, that ends. */
export function graceGivenUp(vm: VmDunning, grace: Grace, now: Date): VmChange {
  if (!vm.auto_renew || vm.suspended_at || now <= vm.billing_period_end_at) return {};
  return { grace_ended_at: new Date(Math.min(now.getTime(), graceEnd(vm, grace).getTime())) };
}

/**
 * Returns the changes to a VM whose owner turns renewal on again: its grace is restored, unless it is switched off by
 * now or the catalog limits how often an account has grace.
 */
export function graceTakenUp(
  { suspended_at, grace_ended_at }: Pick<VmDunning, 'suspended_at' | 'grace_ended_at'>,
  { grace_once_months = 0 }: Pick<Catalog, 'grace_once_months'>,
): VmChange {
  return grace_ended_at && !suspended_at && grace_once_months === 0 ? { grace_ended_at: null } : {};
}

/**
 * Returns the grace of a VM whose period is over, if its account has one per `grace_once_months`: when it ends, and
 * whether the account's grace begins with it. The grace belongs to the account: VMs that fall due while it lasts keep
 * running until it ends, and VMs that fall due later have none until the months are over.
 */
export function graceOfAccount(
  vm: VmGrace,
  { grace, grace_once_months = 0 }: Pick<Catalog, 'grace' | 'grace_once_months'>,
  lastAt: Date | null,
): { endAt: Date; begins: boolean } {
  const endAt = graceEnd(vm, grace);
  const dueAt = vm.billing_period_end_at;
  if (endAt <= dueAt) return { endAt, begins: false };
  if (!lastAt || dueAt >= addMonths(lastAt, grace_once_months)) return { endAt, begins: true };
  const lastEndAt = new Date(lastAt.getTime() + grace.suspend_after_hours * HOUR_MS);
  // If the service was down, a VM may be processed after one that fell due later.
  return { endAt: dueAt < lastEndAt ? earlier(endAt, lastEndAt) : dueAt, begins: false };
}

const earlier = (one: Date, other: Date) => (one < other ? one : other);

function addMonths(from: Date, months: number): Date {
  let at = from;
  for (let month = 0; month < months; month++) at = addMonth(at, from.getUTCDate());
  return at;
}

/** Returns when the owner of a suspended VM is notified of its deletion. */
export function deletionNoticeAt(suspendedAt: Date, { delete_after_days }: Grace): Date {
  const days = Math.max(0, delete_after_days - DELETION_NOTICE_DAYS);
  return new Date(suspendedAt.getTime() + days * DAY_MS);
}

/**
 * Returns when a suspended VM is deleted: never sooner after the notice than the notice promised. Null before it is
 * suspended.
 */
export function deletionAt(
  vm: Pick<VmDunning, 'suspended_at' | 'deletion_notice_at'>,
  { delete_after_days }: Grace,
): Date | null {
  if (!vm.suspended_at) return null;
  const due = vm.suspended_at.getTime() + delete_after_days * DAY_MS;
  const lead = Math.min(DELETION_NOTICE_DAYS, delete_after_days) * DAY_MS;
  return new Date(Math.max(due, (vm.deletion_notice_at?.getTime() ?? 0) + lead));
}
