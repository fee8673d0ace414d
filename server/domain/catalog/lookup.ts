import type { DiskSpeed } from '../../compute/driver.ts';
import { invalidField } from '../../platform/errors.ts';
import type { AddOnForSale, Catalog, Plan, Range, Region, Template } from './catalog-schema.ts';

/** Returns the plan with that code, deprecated ones included. */
export function findPlan(catalog: Catalog, code: string): Plan | undefined {
  return catalog.plans.find((plan) => plan.code === code);
}

/** Returns the add-on with that code, deprecated ones included. */
export function findAddOn(catalog: Catalog, code: string): AddOnForSale | undefined {
  return catalog.add_ons?.find((addOn) => addOn.code === code);
}

export function findRegion(catalog: Catalog, code: string): Region | undefined {
  return catalog.regions.find((region) => region.code === code);
}

/** Refuses a requested region that the catalog does not have. */
export function requireKnownRegion(catalog: Catalog, code: string | undefined): void {
  if (code === undefined || findRegion(catalog, code)) return;
  throw invalidField('region', 'not_found', `there is no region ${code}`);
}

/** Returns the template with that code, deprecated ones included. */
export function findTemplate(catalog: Catalog, code: string): Template | undefined {
  return catalog.templates.find((template) => template.code === code);
}

/**
 * Returns whether VMs of a plan have dedicated cores; not if the catalog no longer has the plan, or for a custom size
 * (null).
 */
export function isDedicated(catalog: Catalog, plan: string | null): boolean {
  return plan !== null && findPlan(catalog, plan)?.category.toLowerCase() === 'dedicated';
}

/**
 * Returns the maximum rate at which a VM of a plan, or of a custom size (null), may send and receive, in bit/s; null is
 * unlimited.
 */
export function bandwidthLimit(catalog: Catalog, plan: string | null): number | null {
  const { network_mbps } = (plan === null ? catalog.custom : findPlan(catalog, plan)) ?? {};
  return network_mbps === undefined ? null : network_mbps * 1_000_000;
}

/**
 * The rate left by a throttle to 0, in bit/s: too low for a packet of common size, and the lowest that engines accept.
 */
export const STOPPED_BPS = 8_000;

/**
 * Returns the current maximum rate at which a VM may send and receive, in bit/s, including its throttle; null is
 * unlimited.
 */
export function speedLimit(
  catalog: Catalog,
  { plan, throttle_mbps }: { plan: string | null; throttle_mbps: number | null },
): number | null {
  const sold = bandwidthLimit(catalog, plan);
  if (throttle_mbps === null) return sold;
  const throttle = throttle_mbps === 0 ? STOPPED_BPS : throttle_mbps * 1_000_000;
  return Math.min(sold ?? throttle, throttle);
}

/** Returns the limits on a disk's speed for a plan, or for a custom size (null); undefined is unlimited. */
export function diskSpeed(catalog: Catalog, plan: string | null): DiskSpeed | undefined {
  const { disk_iops: iops, disk_mbps: mbps } =
    (plan === null ? catalog.custom : findPlan(catalog, plan)) ?? {};
  return iops === undefined && mbps === undefined ? undefined : { iops, mbps };
}

/** Returns whether customers can currently choose `plan` in `region`. */
export function isSoldIn(plan: Plan, region: string): boolean {
  return !plan.deprecated && plan.regions.includes(region);
}

/** Returns whether `value` is one of the steps of a custom configuration's range. */
export function isInRange(range: Range, value: number): boolean {
  return value >= range.min && value <= range.max && (value - range.min) % range.step === 0;
}
