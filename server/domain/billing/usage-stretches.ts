import type { VmRow } from '../../db/queries/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { graceEnd } from './grace.ts';
import { addMonth, type Period } from './period.ts';

/** A time whose use is charged together: a month, or a part of one. What is included is the share of that part. */
export interface Stretch extends Period {
  month: Period;
  /** How far the meter is read: until the end of the period, or all that has been metered. */
  traffic: 'period' | 'all';
}

/** The period that is running, as it will be charged at its end; what is used so far is all there is. */
export function runningStretch(vm: VmRow): Stretch[] {
  const month = { startAt: vm.billing_period_start_at, endAt: vm.billing_period_end_at };
  return [{ ...month, month, traffic: 'all' }];
}

/** The months that have ended, and the rest until `end`, which is read to the last byte. */
export function stretchesUntil(vm: VmRow, end: Date): Stretch[] {
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
 * Until when a VM was used at `now`: one that is switched off for want of payment is not, nor is it beyond its grace. What
 * a node whose clock is ahead has switched off is not used beyond now either, from when on it is paid again.
 */
export function usedUntil(vm: VmRow, grace: Catalog['grace'], now: Date): Date {
  if (!vm.suspended_at) return now;
  return new Date(Math.min(vm.suspended_at.getTime(), graceEnd(vm, grace).getTime(), now.getTime()));
}
