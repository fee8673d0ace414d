import { BILLING_MODES, type BillingMode } from '../../../domain/billing/metering.ts';
import { containedTax, plainRate, toJsonInteger } from '../../../domain/billing/money.ts';
import { hourlyText, planConfiguration } from '../../../domain/billing/pricing.ts';
import type { SalesCatalog } from '../../../domain/catalog/buyer-prices.ts';
import type { Plan } from '../../../domain/catalog/catalog-schema.ts';
import { nextSalePrice } from '../../../domain/catalog/prices.ts';
import { Count, Decimal, Enum, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const BillingModes = Type.Array(Enum(BILLING_MODES, { $id: 'BillingMode' }), {
  description: 'Billing modes',
});

export const billingModes = (byTheHour: boolean): readonly BillingMode[] =>
  byTheHour ? BILLING_MODES : ['monthly'];

const monthFields = {
  price_monthly_minor: Minor('Monthly price including tax'),
  price_monthly_net_minor: Minor('Monthly price without tax'),
};

export const soldToFields = {
  net_prices: Type.Boolean({
    description: 'True if the account is a business that buys at net prices and pays them plus the tax due',
  }),
  tax_rate: Type.String({
    pattern: '^[0-9]+(\\.[0-9]+)?$',
    description: 'Rate of the tax in the prices: "0.19" is 19 %, "0" is none',
  }),
};

export const presentSoldTo = ({ sold_to: { net, rate } }: SalesCatalog) => ({
  net_prices: net,
  tax_rate: plainRate(rate),
});

const NextPriceShape = Shape(
  {
    price_hourly: Nullable(Decimal('Price per hour; null if the plan is not sold by the hour')),
    billing_modes: BillingModes,
    ...monthFields,
    from_at: Timestamp(
      'When this price takes effect for new sales; existing VMs may keep their own price for longer',
    ),
  },
  { $id: 'NextPlanPrice', description: 'An announced price' },
);

const planFields = {
  code: Type.String(),
  name: Type.String(),
  category: Type.String(),
  vcpu: Count('Virtual CPUs'),
  ram_mb: Count('Memory in MiB'),
  disk_gb: Count('Disk in GB'),
  bandwidth_gb: Nullable(Count('Included traffic per month in GB; null if unmetered')),
  price_hourly: Nullable(Decimal('Price per hour; null if the plan is not sold by the hour')),
  billing_modes: BillingModes,
  ...monthFields,
  next_price: Nullable(NextPriceShape),
  retires_on: Nullable(
    Type.String({
      format: 'date',
      description: 'Day (UTC) from which its VMs are no longer renewed; null if it is not retired',
    }),
  ),
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
      Shape(
        { code: Type.String(), available: Type.Boolean({ description: 'True if there is capacity now' }) },
        { $id: 'PlanRegion', description: 'A region that sells a plan' },
      ),
    ),
    deprecated: Type.Boolean({ description: 'Existing VMs keep it, but new VMs cannot use it' }),
  },
  { $id: 'Plan', description: 'A size at a monthly price' },
);

/** `plan` is priced as of `now`, see `catalogAt`. */
function fields(plan: Plan, catalog: SalesCatalog, now: Date) {
  const { code, name, category, vcpu, ram_mb, disk_gb, bandwidth_gb } = plan;
  const next = nextSalePrice(plan, now);
  return {
    code,
    name,
    category,
    vcpu,
    ram_mb,
    disk_gb,
    bandwidth_gb,
    ...prices(plan, catalog),
    next_price: next && { ...prices(next.item, catalog), from_at: next.from },
    retires_on: plan.retires_on ?? null,
  };
}

function prices(plan: Plan, { currency, sold_to }: SalesCatalog) {
  const { price_monthly_minor: price, price_hourly_micros: hour } = planConfiguration(plan, currency);
  return {
    price_hourly: hourlyText(hour, currency),
    billing_modes: billingModes(hour !== null),
    price_monthly_minor: toJsonInteger(price),
    price_monthly_net_minor: toJsonInteger(price - containedTax(price, sold_to.rate)),
  };
}

export function presentPublicPlan(plan: Plan, catalog: SalesCatalog, now: Date) {
  return { ...fields(plan, catalog, now), regions: plan.regions, deprecated: plan.deprecated ?? false };
}

/** `hasRoom` says for each region whether there is capacity for the plan now. */
export function presentPlan(
  plan: Plan,
  catalog: SalesCatalog,
  now: Date,
  hasRoom: (region: string) => boolean,
) {
  const regions = plan.regions.map((code) => ({ code, available: !plan.deprecated && hasRoom(code) }));
  return { ...fields(plan, catalog, now), regions, deprecated: plan.deprecated ?? false };
}

export const examplePlan = {
  code: 's1',
  name: 'Shared S1',
  category: 'shared',
  vcpu: 1,
  ram_mb: 1024,
  disk_gb: 20,
  bandwidth_gb: 1000,
  price_hourly: '0.006',
  billing_modes: ['monthly', 'hourly'],
  price_monthly_minor: 399,
  price_monthly_net_minor: 335,
  next_price: null,
  retires_on: null,
  regions: [{ code: 'eu-west', available: true }],
  deprecated: false,
};
