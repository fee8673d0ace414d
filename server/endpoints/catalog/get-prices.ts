import { hourlyPrice, parseMicros } from '../../domain/billing/money.ts';
import { Type } from '../../platform/schema.ts';
import { endpoint } from '../endpoint.ts';
import { Currency, Decimal, Enum, Shape } from '../schemas.ts';

const ComponentPriceShape = Shape(
  {
    component: Enum(['vcpu', 'ram', 'disk']),
    unit: Enum(['vcpu', 'gib', 'gb'], { description: 'One virtual CPU, one GiB of memory, one GB of disk' }),
    price_hourly: Decimal('Price an hour of one unit'),
    price_monthly: Decimal('Price a month of one unit'),
  },
  { $id: 'ComponentPrice' },
);

export const getPrices = endpoint({
  operation: 'getPrices',
  method: 'GET',
  path: '/v1/vm/prices',
  scope: 'catalog:read',
  tag: 'catalog',
  summary: 'Get unit prices of custom configurations',
  data: Shape({
    currency: Currency,
    tax_included: Type.Boolean({ description: 'All prices of this API include tax' }),
    components: Type.Array(ComponentPriceShape),
  }),
  errors: [],
  example: {
    currency: 'EUR',
    tax_included: true,
    components: [{ component: 'vcpu', unit: 'vcpu', price_hourly: '0.00342', price_monthly: '2.50' }],
  },
  async handle({ services: { catalog } }) {
    const { vcpu, ram_gb, disk_gb } = catalog.custom.price_monthly;
    const price = (component: string, unit: string, monthly: string) => ({
      component,
      unit,
      price_hourly: hourlyPrice(parseMicros(monthly)),
      price_monthly: monthly,
    });
    const components = [
      price('vcpu', 'vcpu', vcpu),
      price('ram', 'gib', ram_gb),
      price('disk', 'gb', disk_gb),
    ];
    return { data: { currency: catalog.currency, tax_included: true, components } };
  },
});
