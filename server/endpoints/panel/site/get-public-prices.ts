import { catalogFor } from '../../../domain/catalog/buyer-prices.ts';
import { catalogAt } from '../../../domain/catalog/prices.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Currency, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { PublicPlanShape, presentPublicPlan } from '../../customer/catalog/plan-shape.ts';

export const getPublicPrices = endpoint({
  audience: 'panel',
  operation: 'getPublicPrices',
  method: 'GET',
  path: '/prices',
  access: 'public',
  tag: 'site',
  summary: 'Get the public price list',
  data: Shape(
    {
      currency: Currency,
      plans: Type.Array(PublicPlanShape),
      regions: Type.Array(Shape({ code: Type.String(), name: Type.String(), country: Type.String() })),
    },
    { $id: 'PublicPrices', description: 'Get the public price list, tax included' },
  ),
  errors: [],
  async handle({ services, now }) {
    const catalog = catalogAt(catalogFor(services.catalog, undefined), now);
    return {
      data: {
        currency: catalog.currency,
        plans: catalog.plans
          .filter(({ deprecated }) => !deprecated)
          .map((plan) => presentPublicPlan(plan, catalog, now)),
        regions: catalog.regions.map(({ code, name, country }) => ({ code, name, country })),
      },
    };
  },
});
