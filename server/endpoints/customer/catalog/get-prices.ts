import { catalogOf } from '../../../domain/billing/buyers.ts';
import { parseMicros, priceText } from '../../../domain/billing/money.ts';
import type { SalesCatalog } from '../../../domain/catalog/buyer-prices.ts';
import type { Catalog } from '../../../domain/catalog/catalog-schema.ts';
import { nextSalePrice, priceAt } from '../../../domain/catalog/prices.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Currency, Decimal, Enum, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { BillingModes, billingModes, presentSoldTo, soldToFields } from './plan-shape.ts';

const NextPriceShape = Shape(
  {
    price_hourly: Nullable(Decimal('Hourly price per unit; null if custom sizes are not sold by the hour')),
    price_monthly: Decimal('Monthly price per unit'),
    from_at: Timestamp(
      'When this price takes effect for new sales; existing VMs may keep their own price for longer',
    ),
  },
  { $id: 'NextComponentPrice', description: 'An announced price' },
);

const ComponentPriceShape = Shape(
  {
    component: Enum(['vcpu', 'ram', 'disk'], { $id: 'PriceComponent' }),
    unit: Enum(['vcpu', 'gib', 'gb'], {
      $id: 'PriceUnit',
      description: 'One virtual CPU, one GiB of memory, one GB of disk',
    }),
    price_hourly: Nullable(Decimal('Hourly price per unit; null if custom sizes are not sold by the hour')),
    price_monthly: Decimal('Monthly price per unit'),
    next_price: Nullable(NextPriceShape),
  },
  { $id: 'ComponentPrice' },
);

export const getPrices = endpoint({
  audience: 'customer',
  operation: 'getPrices',
  method: 'GET',
  path: '/v1/vm/prices',
  scope: 'catalog:read',
  tag: 'catalog',
  summary: 'Get unit prices of custom configurations',
  description:
    'Returns the prices of one virtual CPU, one GiB of memory and one GB of disk, each with the next announced price. `custom-quote` computes the total.',
  data: Shape(
    {
      currency: Currency,
      tax_included: Type.Boolean({
        description: 'All prices of this API include the tax that the account owes, if any',
      }),
      ...soldToFields,
      billing_modes: BillingModes,
      components: Type.Array(ComponentPriceShape),
    },
    { $id: 'Prices', description: 'Unit prices of custom configurations' },
  ),
  errors: [],
  example: {
    currency: 'EUR',
    tax_included: true,
    net_prices: false,
    tax_rate: '0.19',
    billing_modes: ['monthly'],
    components: [
      { component: 'vcpu', unit: 'vcpu', price_hourly: null, price_monthly: '2.50', next_price: null },
    ],
  },
  async handle({ services, db, caller, now }) {
    const catalog = await catalogOf(db, services.catalog, caller.accountId);
    const today = priceAt(catalog.custom, now);
    const next = nextSalePrice(catalog.custom, now);
    const price = (part: Part, component: string, unit: string) => ({
      component,
      unit,
      ...prices(today, part, catalog),
      next_price: next && { ...prices(next.item, part, catalog), from_at: next.from },
    });
    const components = [
      price('vcpu', 'vcpu', 'vcpu'),
      price('ram_gb', 'ram', 'gib'),
      price('disk_gb', 'disk', 'gb'),
    ];
    const billing_modes = billingModes(today.price_hourly !== undefined);
    const sold = { currency: catalog.currency, tax_included: true, ...presentSoldTo(catalog) };
    return { data: { ...sold, billing_modes, components } };
  },
});

type Custom = Catalog['custom'];
type Part = keyof Custom['price_monthly'];

const prices = ({ price_monthly, price_hourly }: Custom, part: Part, { currency }: SalesCatalog) => ({
  price_hourly: price_hourly ? priceText(parseMicros(price_hourly[part]), currency) : null,
  price_monthly: price_monthly[part],
});
