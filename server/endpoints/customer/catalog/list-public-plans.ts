import { catalogOf } from '../../../domain/billing/buyers.ts';
import { catalogAt } from '../../../domain/catalog/prices.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Currency, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import {
  examplePlan,
  PublicPlanShape,
  presentPublicPlan,
  presentSoldTo,
  soldToFields,
} from './plan-shape.ts';

export const listPublicPlans = endpoint({
  audience: 'customer',
  operation: 'listPublicPlans',
  method: 'GET',
  path: '/v1/public/plans',
  scope: 'catalog:read',
  tag: 'catalog',
  summary: 'Get the public price list',
  description: "Returns the plans at the account's prices, without their availability.",
  data: Shape(
    { currency: Currency, ...soldToFields, plans: Type.Array(PublicPlanShape) },
    { $id: 'PublicPlans', description: 'The public price list' },
  ),
  errors: [],
  example: {
    currency: 'EUR',
    net_prices: false,
    tax_rate: '0.19',
    plans: [{ ...examplePlan, regions: ['eu-west'] }],
  },
  async handle({ services, db, caller, now }) {
    const catalog = catalogAt(await catalogOf(db, services.catalog, caller.accountId), now);
    return {
      data: {
        currency: catalog.currency,
        ...presentSoldTo(catalog),
        plans: catalog.plans.map((plan) => presentPublicPlan(plan, catalog, now)),
      },
    };
  },
});
