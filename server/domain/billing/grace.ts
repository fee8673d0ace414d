import type { VmChange, VmRow } from '../../db/queries/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { addMonth } from './period.ts';
import { isRenewed, type Renewable } from './retirement.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The owner of a VM gets notice of its deletion this long ahead. Nothing is deleted without that notice. */
export const DELETION_NOTICE_DAYS = 3;

type Grace = Catalog['grace'];

/**
 * When a VM that is not renewed is suspended: some time after its period, or at its very end where it was not to be
 * renewed, since nothing is owed then, and where it was upgraded shortly before: a large VM must not be had for the
 * price of its last second. What was granted to a VM, or what its owner has given up of it, stays what it was, whatever the
 * catalog says since.
 */
export function graceEnd(
  vm: Renewable & Pick<VmRow, 'upgraded_at' | 'grace_ended_at' | 'debt_suspended_at'>,
  { suspend_after_hours, held_hours = suspend_after_hours }: Grace,
): Date {
  const end = vm.billing_period_end_at.getTime();
  // One that is off for a debt does not run on.
  const off = Math.max(end, vm.debt_suspended_at?.getTime() ?? Number.POSITIVE_INFINITY);
  if (vm.grace_ended_at) return new Date(Math.min(vm.grace_ended_at.getTime(), off));
  const upgradedLate = vm.upgraded_at !== null && vm.upgraded_at.getTime() > end - held_hours * HOUR_MS;
  const graceMs = isRenewed(vm) && !upgradedLate ? suspend_after_hours * HOUR_MS : 0;
  return new Date(Math.min(end + graceMs, off));
}

/** What a VM remembers where its owner, at `now`, does not want it renewed any more: in its grace, that this ends. */
export function graceGivenUp(vm: VmRow, grace: Grace, now: Date): VmChange {
  if (!vm.auto_renew || vm.suspended_at || now <= vm.billing_period_end_at) return {};
  return { grace_ended_at: new Date(Math.min(now.getTime(), graceEnd(vm, grace).getTime())) };
}

/**
 * What a VM forgets where its owner wants it renewed again: that its grace was ended, unless it is switched off by now, or an
 * account has grace only now and then.
 */
export function graceTakenUp(
  { suspended_at, grace_ended_at }: VmRow,
  { grace_once_months = 0 }: Pick<Catalog, 'grace_once_months'>,
): VmChange {
  return grace_ended_at && !suspended_at && grace_once_months === 0 ? { grace_ended_at: null } : {};
}

/**
 * Returns the grace of a VM whose period is over, where its account has one in `grace_once_months`: until when it lasts, and
 * whether the account's grace begins with it. The grace is that of the account: what falls due while it lasts runs on
 * until it ends, and what falls due later has none until the months are over.
 */
export function graceOfAccount(
  vm: Parameters<typeof graceEnd>[0],
  { grace, grace_once_months = 0 }: Pick<Catalog, 'grace' | 'grace_once_months'>,
  lastAt: Date | null,
): { endAt: Date; begins: boolean } {
  const endAt = graceEnd(vm, grace);
  const dueAt = vm.billing_period_end_at;
  if (endAt <= dueAt) return { endAt, begins: false };
  if (!lastAt || dueAt >= addMonths(lastAt, grace_once_months)) return { endAt, begins: true };
  const lastEndAt = new Date(lastAt.getTime() + grace.suspend_after_hours * HOUR_MS);
  // One that fell due before it is looked at later where the service was down.
  return { endAt: dueAt < lastEndAt ? earlier(endAt, lastEndAt) : dueAt, begins: false };
}

const earlier = (one: Date, other: Date) => (one < other ? one : other);

function addMonths(from: Date, months: number): Date {
  let at = from;
  for (let month = 0; month < months; month++) at = addMonth(at, from.getUTCDate());
  return at;
}

/** When the owner of a suspended VM gets notice of its deletion. */
export function deletionNoticeAt(suspendedAt: Date, { delete_after_days }: Grace): Date {
  const days = Math.max(0, delete_after_days - DELETION_NOTICE_DAYS);
  return new Date(suspendedAt.getTime() + days * DAY_MS);
}

/** When a suspended VM is deleted: never sooner after the notice than it promised. Null before it is suspended. */
export function deletionAt(
  vm: Pick<VmRow, 'suspended_at' | 'deletion_notice_at'>,
  { delete_after_days }: Grace,
): Date | null {
  if (!vm.suspended_at) return null;
  const due = vm.suspended_at.getTime() + delete_after_days * DAY_MS;
  const lead = Math.min(DELETION_NOTICE_DAYS, delete_after_days) * DAY_MS;
  return new Date(Math.max(due, (vm.deletion_notice_at?.getTime() ?? 0) + lead));
}
