import type { VmConfiguration, VmPriceNotice, VmPricing, VmRenewal } from '../../db/queries/vms/vm-parts.ts';
import type { SalesCatalog } from '../catalog/buyer-prices.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { findPlan } from '../catalog/lookup.ts';
import { lastPriceChange, priceAt } from '../catalog/prices.ts';
import { currentConfiguration } from '../vms/configuration.ts';
import { addMonth } from './period.ts';
import { type Configuration, customConfiguration, planConfiguration } from './pricing.ts';
import { isRenewed } from './retirement.ts';

const DAY_MS = 86_400_000;

/** A coming month of a VM, and the configuration with which it will be renewed for that month. */
export interface ComingMonth {
  startAt: Date;
  endAt: Date;
  configuration: Configuration;
}

/**
 * Returns the configuration that a VM's next month is sold with: its current size, at the price of its plan or of its
 * parts. It keeps its old price if the catalog no longer has the plan, or if its owner had no timely notice of a higher
 * price. A VM that was switched off starts over at today's price.
 */
export function renewalConfiguration(vm: VmPricing, catalog: SalesCatalog, now: Date): Configuration {
  if (vm.suspended_at) return saleConfiguration(vm, catalog, now);
  return monthConfiguration(vm, catalog, vm.billing_period_end_at, now);
}

/** Returns a VM's configuration at the price for which it is sold at `now`. */
export function saleConfiguration(vm: VmConfiguration, catalog: SalesCatalog, now: Date): Configuration {
  return catalogConfiguration(vm, catalog, now, now);
}

/**
 * Returns the configuration with which a VM is renewed for a month from `startAt`, as far as that is known at `now`.
 */
export function monthConfiguration(
  vm: VmPricing,
  catalog: SalesCatalog,
  startAt: Date,
  now: Date,
): Configuration {
  const asked = askedFor(vm, catalog, startAt);
  const isDearer = asked.price_monthly_minor > vm.price_monthly_minor;
  if (!isDearer) return { ...asked, price_hourly_micros: hourOf(vm, asked, catalog) };
  if (hasNotice(vm, asked.price_monthly_minor, startAt, now, catalog)) return asked;
  const price_hourly_micros = vm.price_hourly_micros ?? asked.price_hourly_micros;
  return { ...currentConfiguration(vm, catalog), price_hourly_micros };
}

/** If higher prices need notice, the hourly price only rises together with the monthly one. */
function hourOf(
  { price_hourly_micros: sold }: Pick<VmConfiguration, 'price_hourly_micros'>,
  { price_hourly_micros: asked }: Configuration,
  { price_notice_days = 0 }: Catalog,
): bigint | null {
  return price_notice_days > 0 && sold !== null && asked !== null && asked > sold ? sold : asked;
}

/** Returns a VM's configuration at the catalog's price for a month from `startAt` on, announced or not. */
export function askedFor(vm: VmPricing, catalog: SalesCatalog, startAt: Date): Configuration {
  return catalogConfiguration(vm, catalog, startAt, vm.priced_at);
}

function catalogConfiguration(
  vm: VmConfiguration,
  catalog: SalesCatalog,
  at: Date,
  soldAt: Date,
): Configuration {
  const { currency } = catalog;
  const current = currentConfiguration(vm, catalog);
  if (current.plan === null) {
    const custom = priceAt(catalog.custom, at, soldAt);
    return repriced(current, customConfiguration(current, { custom, currency }));
  }
  const plan = findPlan(catalog, current.plan);
  if (!plan) return current;
  return repriced(current, planConfiguration(priceAt(plan, at, soldAt), currency));
}

/** A configuration that is no longer sold hourly keeps its last hourly price. */
function repriced(current: Configuration, { price_monthly_minor, price_hourly_micros }: Configuration) {
  return {
    ...current,
    price_monthly_minor,
    price_hourly_micros: price_hourly_micros ?? current.price_hourly_micros,
  };
}

/**
 * Returns whether the owner of a VM was notified, or can still be notified, early enough that it costs `price` from
 * `startAt`.
 */
function hasNotice(
  { price_notice_minor, price_notice_at, price_notice_from_at }: VmPriceNotice,
  price: bigint,
  startAt: Date,
  now: Date,
  { price_notice_days: days = 0 }: Catalog,
): boolean {
  if (days === 0) return true;
  const latest = startAt.getTime() - days * DAY_MS;
  if (now.getTime() <= latest) return true;
  return (
    price_notice_minor === price && price_notice_at!.getTime() <= latest && price_notice_from_at! <= startAt
  );
}

/** Yields the coming months of a VM that keeps renewing, beginning with the next one due. */
export function* comingMonths(
  vm: VmPricing,
  catalog: SalesCatalog,
  now: Date,
): Generator<ComingMonth, never> {
  let held = vm;
  for (let startAt = vm.billing_period_end_at; ; ) {
    const endAt = addMonth(startAt, vm.billing_anchor_day);
    const configuration = monthConfiguration(held, catalog, startAt, now);
    yield { startAt, endAt, configuration };
    const { price_monthly_minor, price_hourly_micros } = configuration;
    const isByTheHour = held.price_hourly_micros !== null;
    held = { ...held, price_monthly_minor, ...(isByTheHour && { price_hourly_micros }) };
    startAt = endAt;
  }
}

/**
 * Returns the next renewal price of a VM that differs from its current one, and the month from which it applies; null
 * if none is known, or if the VM does not renew.
 */
export function nextPrice(
  vm: VmPricing & VmRenewal,
  catalog: SalesCatalog,
  now: Date,
): { price_monthly_minor: bigint; from: Date } | null {
  if (vm.suspended_at) return null;
  const item = vm.plan === null ? catalog.custom : findPlan(catalog, vm.plan);
  const noticeUntil = now.getTime() + (catalog.price_notice_days ?? 0) * DAY_MS;
  const settled = Math.max(noticeUntil, (item && lastPriceChange(item))?.getTime() ?? 0);
  for (const { startAt, configuration } of comingMonths(vm, catalog, now)) {
    if (!isRenewed({ ...vm, billing_period_end_at: startAt })) return null;
    const { price_monthly_minor } = configuration;
    if (price_monthly_minor !== vm.price_monthly_minor) return { price_monthly_minor, from: startAt };
    if (startAt.getTime() >= settled) return null;
  }
  return null;
}
