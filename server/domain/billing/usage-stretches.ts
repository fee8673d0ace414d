import type { VmGrace, VmPeriod } from '../../db/queries/vms/vm-parts.ts';
import type { VmRow } from '../../db/queries/vms/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { graceEnd } from './grace.ts';
import { addMonth, type Period } from './period.ts';

/**
 * A stretch of time whose usage is charged together: a month, or a part of one. It includes its share of the month's
 * volume.
 */
export interface Stretch extends Period {
  month: Period;
  /** The part of the meter that is read: until the end of the stretch, or everything metered so far. */
  traffic: 'period' | 'all';
}

/** Returns the running period, as its end will charge it; its usage is everything metered so far. */
export function runningStretch(vm: Omit<VmPeriod, 'billing_anchor_day'>): Stretch[] {
  const month = { startAt: vm.billing_period_start_at, endAt: vm.billing_period_end_at };
  return [{ ...month, month, traffic: 'all' }];
}

/** Returns the months that have ended, and the rest until `end`, for which the meter is read to the last byte. */
export function stretchesUntil(vm: VmPeriod, end: Date): Stretch[] {
  const stretches: Stretch[] = [];
  let month: Period = { startAt: vm.billing_period_start_at, endAt: vm.billing_period_end_at };
  while (month.endAt < end) {
    stretches.push({ ...month, month, traffic: 'period' });
    month = { startAt: month.endAt, endAt: addMonth(month.endAt, vm.billing_anchor_day) };
  }
  stretches.push({
    startAt: month.startAt,
    endAt: new Date(Math.max(end.getTime(), month.startAt.getTime())),
    month,
    traffic: 'all',
  });
  return stretches;
}

/**
 * Returns until when a VM was used, seen at `now`. One that is suspended for non-payment is not used, nor is it beyond
 * its grace period. If a node whose clock is ahead suspended it, it is not used beyond `now` either, from which it is
 * paid again.
 */
export function usedUntil(
  vm: VmGrace & Pick<VmRow, 'suspended_at'>,
  grace: Catalog['grace'],
  now: Date,
): Date {
  if (!vm.suspended_at) return now;
  return new Date(Math.min(vm.suspended_at.getTime(), graceEnd(vm, grace).getTime(), now.getTime()));
}
