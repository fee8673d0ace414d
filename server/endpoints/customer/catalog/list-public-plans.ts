import { catalogOf } from '../../../domain/billing/buyers.ts';
import { catalogAt } from '../../../domain/catalog/prices.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Currency, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { examplePlan, PublicPlanShape, presentPublicPlan } from './plan-shape.ts';

export const listPublicPlans = endpoint({
  operation: 'listPublicPlans',
  method: 'GET',
  path: '/v1/public/plans',
  scope: 'catalog:read',
  tag: 'catalog',
  summary: 'Get the public price list',
  description: 'The plans without stock.',
  data: Shape(
    { currency: Currency, plans: Type.Array(PublicPlanShape) },
    { $id: 'PublicPlans', description: 'The public price list' },
  ),
  errors: [],
  example: { currency: 'EUR', plans: [{ ...examplePlan, regions: ['eu-west'] }] },
  async handle({ services, db, caller, now }) {
    const catalog = catalogAt(await catalogOf(db, services.catalog, caller.accountId), now);
    return {
      data: {
        currency: catalog.currency,
        plans: catalog.plans.map((plan) => presentPublicPlan(plan, catalog, now)),
      },
    };
  },
});
