import type { VmConfiguration, VmMetering, VmSale } from '../../db/queries/vms/vm-parts.ts';
import { ApiError, type FieldProblem, invalidField, validationFailed } from '../../platform/errors.ts';
import type { Metering } from '../billing/metering.ts';
import {
  type Configuration,
  customConfiguration,
  planConfiguration,
  type RunningPeriod,
  type Size,
} from '../billing/pricing.ts';
import type { SalesCatalog } from '../catalog/buyer-prices.ts';
import type { Catalog, Plan, Range, Template } from '../catalog/catalog-schema.ts';
import { findPlan, findTemplate, isInRange, isSoldIn } from '../catalog/lookup.ts';

/** Returns a VM's current configuration, at the prices it was sold at. */
export function currentConfiguration(vm: VmConfiguration, catalog: Catalog): Configuration {
  const { plan, vcpu, ram_mb, disk_gb, bandwidth_gb, price_monthly_minor, price_hourly_micros } = vm;
  const name =
    plan === null
      ? `Custom ${vcpu} vCPU, ${ram_mb} MB, ${disk_gb} GB`
      : (findPlan(catalog, plan)?.name ?? plan);
  return { plan, name, vcpu, ram_mb, disk_gb, bandwidth_gb, price_monthly_minor, price_hourly_micros };
}

/** Returns how a VM's hours are counted; null if it is billed monthly. */
export function meteringOf({
  price_hourly_micros,
  metered_since,
}: Pick<VmMetering, 'price_hourly_micros' | 'metered_since'>): Metering | null {
  if (price_hourly_micros === null || metered_since === null) return null;
  return { priceMicros: price_hourly_micros, since: metered_since };
}

/**
 * Returns whether the deposit held for a VM belongs to its running period. If a node of the last release has changed
 * the period since, it sold the period in advance and overlooked the deposit (`settle-deposit.ts`).
 */
export function hasDeposit({
  metered_since,
  deposit_since,
}: Pick<VmMetering, 'metered_since' | 'deposit_since'>): boolean {
  return deposit_since !== null && deposit_since.getTime() === metered_since?.getTime();
}

/**
 * Returns whether the running period is settled: given up by a deletion, even one that failed, or over with its usage
 * sold. It stays settled even if a clock that was set back says that the period is still running.
 */
function isSettled({ status, deletion_failed_at, usage_sold_until, billing_period_end_at }: VmSale): boolean {
  const isGivenUp = status === 'deleting' || deletion_failed_at !== null;
  return isGivenUp || usage_sold_until?.getTime() === billing_period_end_at.getTime();
}

/** Returns the period that a VM is paid for, with the terms of its sale. */
export function runningPeriod(vm: VmSale): RunningPeriod {
  return {
    startAt: vm.billing_period_start_at,
    endAt: vm.billing_period_end_at,
    terms: { currency: vm.currency, taxRate: vm.tax_rate },
    remainder: vm.rounding_remainder,
    refundable: vm.refundable_minor,
    pricedAt: vm.priced_at,
    metering: meteringOf(vm),
    deposit: hasDeposit(vm) ? vm.deposit_minor : null,
    isOver: isSettled(vm),
  };
}

/** Returns the codes that can be chosen. */
const codesOf = (items: readonly (Plan | Template)[]) =>
  items.filter(({ deprecated }) => !deprecated).map(({ code }) => code);

/** Returns a plan that can be bought; throws `unknown_plan` otherwise. */
export function requirePlan(catalog: Catalog, code: string): Plan {
  const plan = findPlan(catalog, code);
  if (!plan || plan.deprecated) {
    const allowed = codesOf(catalog.plans);
    throw new ApiError('unknown_plan', `There is no plan ${code} on offer.`, { allowed });
  }
  return plan;
}

/** Requires that a configuration is sold hourly; throws `validation_failed` for `field` otherwise. */
export function requireHourly({ name, price_hourly_micros }: Configuration, field: string): void {
  if (price_hourly_micros !== null) return;
  throw invalidField(field, 'not_allowed', `${name} is not available with hourly billing`);
}

/** Requires that a region sells a plan; throws `plan_not_available_in_region` otherwise. */
export function requireSoldIn(plan: Plan, region: string): void {
  if (isSoldIn(plan, region)) return;
  throw new ApiError(
    'plan_not_available_in_region',
    `Plan ${plan.code} is not available in region ${region}.`,
  );
}

/** Returns a template that can be chosen; throws `unknown_template` otherwise. */
export function requireTemplate(catalog: Catalog, code: string): Template {
  const template = findTemplate(catalog, code);
  if (!template || template.deprecated) {
    const allowed = codesOf(catalog.templates);
    throw new ApiError('unknown_template', `There is no template ${code} on offer.`, { allowed });
  }
  return template;
}

/** Requires the minimum size of the template; throws `validation_failed` otherwise. */
export function requireRoomFor(template: Template, size: Size): void {
  const problems: FieldProblem[] = [];
  const need = (what: string) => ({
    field: 'template',
    code: 'too_large' as const,
    message: `${template.code} needs ${what}`,
  });
  if (size.disk_gb < template.min_disk_gb) problems.push(need(`a disk of ${template.min_disk_gb} GB`));
  if (size.ram_mb < template.min_ram_mb) problems.push(need(`${template.min_ram_mb} MB of memory`));
  if (problems.length > 0) throw validationFailed(problems);
}

/**
 * Returns a custom configuration within the catalog's ranges; throws `validation_failed` with each field that is
 * outside.
 */
export function requireCustom(catalog: SalesCatalog, size: Size): Configuration {
  const problems: FieldProblem[] = [];
  const ranges: [keyof Size, Range][] = [
    ['vcpu', catalog.custom.vcpu],
    ['ram_mb', catalog.custom.ram_mb],
    ['disk_gb', catalog.custom.disk_gb],
  ];
  for (const [field, range] of ranges) {
    if (isInRange(range, size[field])) continue;
    const message = `must be between ${range.min} and ${range.max} in steps of ${range.step}`;
    problems.push({ field, code: 'out_of_range', message });
  }
  if (problems.length > 0) throw validationFailed(problems);
  return customConfiguration(size, catalog);
}

/** Disks never shrink: throws `disk_shrink_not_supported`. */
export function requireNoShrink(vm: Size, to: Size): void {
  if (to.disk_gb >= vm.disk_gb) return;
  throw new ApiError('disk_shrink_not_supported', `The disk has ${vm.disk_gb} GB and cannot be shrunk.`, {
    current_disk_gb: vm.disk_gb,
    requested_disk_gb: to.disk_gb,
  });
}

/** Returns a VM's configuration on a plan; without `resizeDisk`, the disk does not grow to the plan's size. */
export function planFor(vm: Size, plan: Plan, currency: string, resizeDisk: boolean): Configuration {
  const configuration = planConfiguration(plan, currency);
  if (resizeDisk || plan.disk_gb < vm.disk_gb) return configuration;
  return { ...configuration, disk_gb: vm.disk_gb };
}
