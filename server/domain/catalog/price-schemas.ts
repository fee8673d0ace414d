import { Type } from '../../platform/schema.ts';

/** Prices in the catalog are decimals in major units, including tax. */
export const Price = Type.String({
  pattern: '^[0-9]{1,9}(\\.[0-9]{1,6})?$',
  description: 'Decimal in major units, such as "4.99"',
});
export const PriceHourly = Type.String({
  pattern: '^[0-9]{1,9}(\\.[0-9]{1,6})?$',
  description:
    'Enables hourly billing, up to price_monthly per month; must be at least a 672nd of that. No hourly billing if absent',
});
export const DATE = '^20[0-9]{2}-[0-9]{2}-[0-9]{2}$';
/** The dates from which a later price applies, at midnight UTC. */
export const priceDates = {
  valid_from: Type.String({ pattern: DATE, description: 'Day (UTC) from which it is sold at this price' }),
  existing_from: Type.Optional(
    Type.String({
      pattern: DATE,
      description: 'Day from which existing VMs renew at this price; defaults to valid_from',
    }),
  ),
};
export const UnitPrices = Type.Object(
  { vcpu: Price, ram_gb: Price, disk_gb: Price },
  { additionalProperties: false, description: 'Unit prices: one vCPU, one GiB of memory, one GB of disk' },
);
export const UnitPricesHourly = Type.Object(
  { vcpu: PriceHourly, ram_gb: PriceHourly, disk_gb: PriceHourly },
  { additionalProperties: false, description: 'The same prices per hour; no hourly billing if absent' },
);
