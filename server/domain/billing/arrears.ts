import type { MeteredVm } from '../../db/queries/money/meters.ts';
import { catalogFor, type SalesCatalog } from '../catalog/buyer-prices.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import type { TaxedBuyer } from '../tax/tax.ts';
import { currentConfiguration } from '../vms/configuration.ts';
import {
  type AddOn,
  addOnGrace,
  addOnMonth,
  addOnsOf,
  renewedUnits,
  resoldUnits,
  type SoldMonth,
} from './add-ons.ts';
import { sum } from './money.ts';
import { addMonth, firstPeriod, type Period } from './period.ts';
import {
  type Configuration,
  monthCharge,
  recoveryCharge,
  type Sale,
  type SaleTerms,
  termsOf,
} from './pricing.ts';
import { type ComingMonth, comingMonths, monthConfiguration, saleConfiguration } from './renewal-price.ts';
import { type StretchUsage, usageMinor, usageOf } from './usage.ts';
import { runningStretch, type Stretch, stretchesUntil, usedUntil } from './usage-stretches.ts';

/** A renewal: the month it pays for and its charge, including the usage before it. */
export interface DueMonth {
  period: Period;
  charge: Sale;
  /** The monthly price at which it is sold. */
  price_monthly_minor: bigint;
  usage: StretchUsage[];
  /** The VM's add-ons once it is paid. */
  addOns: AddOn[];
}

/** The payment due before a VM counts as paid again. */
export interface Arrears {
  /** Oldest first. The last one ends after now. */
  months: DueMonth[];
  total_minor: bigint;
}

/**
 * Returns what must be paid at `now` for a VM whose period is over; null while the period is running. A VM that kept
 * running owes every month since. A suspended one owes the grace period in which it ran, by the second, and starts a
 * new month now as a new sale: the time when it was switched off is free. Earlier usage is charged along with the
 * months. The buyer decides which tax the prices contain, but not the total.
 */
export function arrearsOf(
  vm: MeteredVm,
  catalog: SalesCatalog,
  now: Date,
  buyer?: TaxedBuyer,
): Arrears | null {
  if (vm.billing_period_end_at > now) return null;
  const terms = { ...termsOf(catalog, buyer), currency: vm.currency };
  const months = vm.suspended_at ? [recovery(vm, catalog, now, terms)] : missed(vm, catalog, now, terms);
  return { months, total_minor: sum(months.map(({ charge }) => charge.total_minor)) };
}

function missed(vm: MeteredVm, catalog: SalesCatalog, now: Date, terms: SaleTerms): DueMonth[] {
  const due: ComingMonth[] = [];
  for (const month of comingMonths(vm, catalog, now)) {
    if (month.startAt > now) break;
    due.push(month);
  }
  // Each month's charge includes the usage of the month before.
  const before = [vm.billing_period_start_at, ...due.map(({ startAt }) => startAt)];
  const ended = due.map(({ startAt: endAt }, index): Stretch => {
    const month = { startAt: before[index]!, endAt };
    return { ...month, month, traffic: 'period' };
  });
  const usage = usageOf(vm, ended, now, currentConfiguration(vm, catalog).name, terms);
  let held = addOnsOf(vm);
  return due.map(({ startAt, endAt, configuration }, index) => {
    const period = { startAt, endAt };
    const added = addOnMonth(renewedUnits(held, catalog, startAt), period, terms);
    held = added.addOns;
    const charge = monthCharge(configuration, period, terms, vm.next_billing_mode);
    return dueMonth(period, configuration, charge, usage.slice(index, index + 1), added);
  });
}

function recovery(vm: MeteredVm, catalog: SalesCatalog, now: Date, terms: SaleTerms): DueMonth {
  const startAt = vm.billing_period_end_at;
  const unpaid = { startAt, endAt: addMonth(startAt, vm.billing_anchor_day) };
  // If the VM could not be switched off in time, the customer does not pay for the extra time.
  const until = usedUntil(vm, catalog.grace, now);
  const period = firstPeriod(now);
  const inGrace = monthConfiguration(vm, catalog, startAt, now);
  const configuration = saleConfiguration(vm, catalog, now);
  const mode = vm.price_hourly_micros === null ? 'monthly' : 'hourly';
  const grace = { inGrace, unpaid, usedUntil: until, mode } as const;
  const charge = recoveryCharge(configuration, period, grace, terms, vm.next_billing_mode);
  const usage = usageOf(vm, stretchesUntil(vm, until), now, configuration.name, terms);
  const held = addOnsOf(vm);
  const used = addOnGrace(renewedUnits(held, catalog, startAt), unpaid, until, terms);
  const { lines, addOns } = addOnMonth(resoldUnits(held, catalog, now), period, terms);
  return dueMonth(period, configuration, charge, usage, { lines: [...used, ...lines], addOns });
}

function dueMonth(
  period: Period,
  { price_monthly_minor }: Configuration,
  month: Sale,
  usage: StretchUsage[],
  added: SoldMonth,
): DueMonth {
  // The month comes last, because the VM stores the terms of the last line.
  const lines = [...usage.flatMap((used) => used.lines), ...added.lines, ...month.lines];
  const total_minor = sum(lines.map((line) => line.amount_minor));
  const charge = { ...month, lines, total_minor };
  return { period, charge, price_monthly_minor, usage, addOns: added.addOns };
}

/**
 * Returns a VM's usage that was not charged yet: of the running period, as its end will charge it, or of a period that
 * is over, as its arrears do. Empty if nothing has a price.
 */
export function openUsage(vm: MeteredVm, catalog: Catalog, now: Date): StretchUsage[] {
  // Usage has the prices with which its period began, even if the buyer has changed since.
  const arrears = arrearsOf(vm, catalogFor(catalog, undefined), now);
  if (arrears) return arrears.months.flatMap(({ usage }) => usage);
  const { name } = currentConfiguration(vm, catalog);
  return usageOf(vm, runningStretch(vm), now, name, {
    ...termsOf(catalog, undefined),
    currency: vm.currency,
  });
}

/** The amount of it. */
export function openUsageMinor(vm: MeteredVm, catalog: Catalog, now: Date): bigint {
  return usageMinor(openUsage(vm, catalog, now));
}
