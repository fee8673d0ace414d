import type { VmChange, VmRow } from '../../db/queries/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { isRenewed, type Renewable } from './retirement.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The owner of a VM gets notice of its deletion this long ahead. Nothing is deleted without that notice. */
export const DELETION_NOTICE_DAYS = 3;

type Grace = Catalog['grace'];

/**
 * When a VM that is not renewed is suspended: some time after its period, or at its very end where it was not to be
 * renewed, since nothing is owed then, and where it was upgraded shortly before: a large VM must not be had for the
 * price of its last second. What was granted to a VM that is switched off, or that was not to be renewed any more, stays
 * what it was, whatever its owner or the catalog says since.
 */
export function graceEnd(
  vm: Renewable & Pick<VmRow, 'upgraded_at' | 'suspended_at' | 'grace_ended_at'>,
  { suspend_after_hours, held_hours = suspend_after_hours }: Grace,
): Date {
  if (vm.grace_ended_at && (vm.suspended_at || !isRenewed(vm))) return vm.grace_ended_at;
  const end = vm.billing_period_end_at.getTime();
  const upgradedLate = vm.upgraded_at !== null && vm.upgraded_at.getTime() > end - held_hours * HOUR_MS;
  const graceMs = isRenewed(vm) && !upgradedLate ? suspend_after_hours * HOUR_MS : 0;
  return new Date(end + graceMs);
}

/** What a VM remembers where its owner, at `now`, does not want it renewed any more: in its grace, that this ends. */
export function graceGivenUp(vm: VmRow, grace: Grace, now: Date): VmChange {
  if (!vm.auto_renew || vm.suspended_at || now <= vm.billing_period_end_at) return {};
  return { grace_ended_at: new Date(Math.min(now.getTime(), graceEnd(vm, grace).getTime())) };
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
