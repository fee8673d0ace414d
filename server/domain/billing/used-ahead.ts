import type { MeteredVm } from '../../db/queries/money/meters.ts';
import type { VmPeriod } from '../../db/queries/vms/vm-parts.ts';
import type { VmRow } from '../../db/queries/vms/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import type { RefundLimits } from './adjustments/refundable.ts';
import { max, min } from './money.ts';
import { BYTES_PER_GB, isLimited, usageOf } from './usage.ts';
import { runningStretch } from './usage-stretches.ts';

/**
 * Returns how many bytes more than its share of the time a VM has sent at `now`, under the terms of its period that
 * throttle or stop; negative if it has sent less.
 */
export function sentAhead(vm: MeteredVm, now: Date): bigint {
  const terms = { currency: vm.currency, taxRate: vm.tax_rate };
  const unbilled = usageOf(vm, runningStretch(vm), now, '', terms)[0]?.unbilled;
  if (!unbilled) return 0n;
  return unbilled.used_bytes - (unbilled.included_bytes - restOfVolume(vm, limitOf(vm), now));
}

/**
 * Returns the monthly volume in GB at which a VM is currently throttled or stopped; null if its traffic is billed, free
 * or unmetered.
 */
function limitOf({ usage_priced, meter }: MeteredVm): number | null {
  const terms = usage_priced ? meter?.readings.at(-1) : undefined;
  return terms && terms.traffic_price === null ? terms.included_gb : null;
}

/** Returns a monthly volume's share for the rest of a VM's period, in bytes. */
function restOfVolume(vm: Omit<VmPeriod, 'billing_anchor_day'>, gb: number | null, now: Date): bigint {
  const [from, to] = [vm.billing_period_start_at.getTime(), vm.billing_period_end_at.getTime()];
  const rest = Math.min(Math.max(to - now.getTime(), 0), to - from);
  return (BigInt(gb ?? 0) * BYTES_PER_GB * BigInt(rest)) / BigInt(to - from);
}

/**
 * Returns how much of the traffic that a VM gives up by becoming `to` at `now`, or by its deletion (null), was already
 * sent; null if none. Its price is not refunded: otherwise a month's volume could be had for one day's price. Terms
 * that bill traffic do not need this, because they charge whatever was sent beyond the share of the time.
 */
export function usedAhead(
  vm: MeteredVm,
  catalog: Catalog,
  to: Pick<VmRow, 'plan' | 'bandwidth_gb'> | null,
  now: Date,
): RefundLimits['usedAhead'] {
  const limit = limitOf(vm);
  if (limit === null || (to && !isLimited(catalog, to))) return null;
  const next = restOfVolume(vm, to?.bandwidth_gb ?? null, now);
  const givenUp = restOfVolume(vm, limit, now) - next;
  const over = max(sentAhead(vm, now) - next, 0n);
  if (over === 0n) return null;
  // A change to at least as much traffic gives none up, but what was sent in excess still has to be paid: nothing is
  // refunded.
  return givenUp > 0n ? { used: min(over, givenUp), givenUp } : { used: 1n, givenUp: 1n };
}
