import { toJsonInteger } from '../../domain/billing/money.ts';
import { configurationHourly, planConfiguration } from '../../domain/billing/pricing.ts';
import type { Catalog, Plan } from '../../domain/catalog/catalog-schema.ts';
import { Type } from '../../platform/schema.ts';
import { Count, Decimal, Minor, Nullable, Shape } from '../schemas.ts';

const planFields = {
  code: Type.String(),
  name: Type.String(),
  category: Type.String(),
  vcpu: Count('Virtual CPUs'),
  ram_mb: Count('Memory in MiB'),
  disk_gb: Count('Disk in GB'),
  bandwidth_gb: Nullable(Count('Traffic included a month, in GB; null is unmetered')),
  price_hourly: Decimal('Price an hour'),
  price_monthly_minor: Minor('Price a month, tax included'),
};

export const PublicPlanShape = Shape(
  {
    ...planFields,
    regions: Type.Array(Type.String(), { description: 'Codes of the regions that sell it' }),
    deprecated: Type.Boolean(),
  },
  { $id: 'PublicPlan' },
);

export const PlanShape = Shape(
  {
    ...planFields,
    regions: Type.Array(
      Shape({ code: Type.String(), available: Type.Boolean({ description: 'There is room now' }) }),
    ),
    deprecated: Type.Boolean({ description: 'Existing VMs keep it, nobody can choose it' }),
  },
  { $id: 'Plan', description: 'A size at a monthly price' },
);

function fields(plan: Plan, catalog: Catalog) {
  const { code, name, category, vcpu, ram_mb, disk_gb, bandwidth_gb } = plan;
  const price = planConfiguration(plan, catalog.currency).price_monthly_minor;
  return {
    code,
    name,
    category,
    vcpu,
    ram_mb,
    disk_gb,
    bandwidth_gb,
    price_hourly: configurationHourly(price, catalog.currency),
    price_monthly_minor: toJsonInteger(price),
  };
}

export function presentPublicPlan(plan: Plan, catalog: Catalog) {
  return { ...fields(plan, catalog), regions: plan.regions, deprecated: plan.deprecated ?? false };
}

/** `rooms` says for each region whether the plan fits there now. */
export function presentPlan(plan: Plan, catalog: Catalog, hasRoom: (region: string) => boolean) {
  const regions = plan.regions.map((code) => ({ code, available: !plan.deprecated && hasRoom(code) }));
  return { ...fields(plan, catalog), regions, deprecated: plan.deprecated ?? false };
}

export const examplePlan = {
  code: 's1',
  name: 'Shared S1',
  category: 'shared',
  vcpu: 1,
  ram_mb: 1024,
  disk_gb: 20,
  bandwidth_gb: 1000,
  price_hourly: '0.00547',
  price_monthly_minor: 399,
  regions: [{ code: 'eu-west', available: true }],
  deprecated: false,
};
