import type { DiskSpeed } from '../../compute/driver.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Catalog, Plan, Range, Region, Template } from './catalog-schema.ts';

/** The plan of that code, deprecated ones included. */
export function findPlan(catalog: Catalog, code: string): Plan | undefined {
  return catalog.plans.find((plan) => plan.code === code);
}

export function findRegion(catalog: Catalog, code: string): Region | undefined {
  return catalog.regions.find((region) => region.code === code);
}

/** Refuses a region that a caller names and the catalog does not know. */
export function requireKnownRegion(catalog: Catalog, code: string | undefined): void {
  if (code === undefined || findRegion(catalog, code)) return;
  throw invalidField('region', 'unknown', `there is no region ${code}`);
}

/** The image of that code, deprecated ones included. */
export function findTemplate(catalog: Catalog, code: string): Template | undefined {
  return catalog.templates.find((template) => template.code === code);
}

/** Whether VMs of a plan have cores of their own; one that is not listed any more, or a custom size (null), has not. */
export function isDedicated(catalog: Catalog, plan: string | null): boolean {
  return plan !== null && findPlan(catalog, plan)?.category.toLowerCase() === 'dedicated';
}

/** How fast a VM of a plan, or of a custom size (null), may send and receive, in bit/s; null is no limit. */
export function bandwidthLimit(catalog: Catalog, plan: string | null): number | null {
  const { network_mbps } = (plan === null ? catalog.custom : findPlan(catalog, plan)) ?? {};
  return network_mbps === undefined ? null : network_mbps * 1_000_000;
}

/** What a throttle to 0 leaves, in bit/s: too little for a packet of common size, and the slowest that engines take. */
export const STOPPED_BPS = 8_000;

/** How fast a VM may send and receive now, in bit/s, with its throttle; null is no limit. */
export function speedLimit(
  catalog: Catalog,
  { plan, throttle_mbps }: { plan: string | null; throttle_mbps: number | null },
): number | null {
  const sold = bandwidthLimit(catalog, plan);
  if (throttle_mbps === null) return sold;
  const throttle = throttle_mbps === 0 ? STOPPED_BPS : throttle_mbps * 1_000_000;
  return Math.min(sold ?? throttle, throttle);
}

/** How quickly a VM of a plan, or of a custom size (null), may use its disk; undefined is no limit. */
export function diskSpeed(catalog: Catalog, plan: string | null): DiskSpeed | undefined {
  const { disk_iops: iops, disk_mbps: mbps } =
    (plan === null ? catalog.custom : findPlan(catalog, plan)) ?? {};
  return iops === undefined && mbps === undefined ? undefined : { iops, mbps };
}

/** Whether a customer may choose `plan` in `region` today. */
export function isSoldIn(plan: Plan, region: string): boolean {
  return !plan.deprecated && plan.regions.includes(region);
}

/** Whether `value` is one of the steps of a custom configuration's range. */
export function isInRange(range: Range, value: number): boolean {
  return value >= range.min && value <= range.max && (value - range.min) % range.step === 0;
}
