import { toJsonInteger } from '../../../domain/billing/money.ts';
import { topUpLimits } from '../../../domain/catalog/top-up-schema.ts';
import { Currency, Minor, Shape } from '../../../http/schemas.ts';
import { panelEndpoint } from '../../../panel/endpoint.ts';
import { Type } from '../../../platform/schema.ts';

const ProviderShape = Shape(
  {
    id: Type.String({ description: 'As a top-up names it', examples: ['stripe'] }),
    minimum_minor: Minor('The least at once'),
    maximum_minor: Minor('The most at once'),
    currency: Currency,
    can_store: Type.Boolean({
      description: 'True if it can store a payment method for automatic top-up',
    }),
  },
  { $id: 'PaymentProvider', description: 'A way to pay' },
);

export const listPaymentProviders = panelEndpoint({
  operation: 'listPaymentProviders',
  method: 'GET',
  path: '/payment-providers',
  access: 'viewer',
  tag: 'money',
  summary: 'List the ways to pay',
  data: Type.Array(ProviderShape, { description: 'Empty if the operator books payments manually' }),
  errors: [],
  async handle({ services: { catalog, payments } }) {
    const { min, max } = topUpLimits(catalog);
    return {
      data: payments.providers.map(({ name, canCharge }) => ({
        id: name,
        minimum_minor: toJsonInteger(min),
        maximum_minor: toJsonInteger(max),
        currency: catalog.currency,
        can_store: canCharge,
      })),
    };
  },
});
