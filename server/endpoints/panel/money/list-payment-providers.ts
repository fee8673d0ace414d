import { toJsonInteger } from '../../../domain/billing/money.ts';
import { topUpLimits } from '../../../domain/catalog/top-up-schema.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Currency, Minor, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

const ProviderShape = Shape(
  {
    id: Type.String({ description: 'Code of the provider, as in a top-up', examples: ['stripe'] }),
    minimum_minor: Minor('Minimum amount'),
    maximum_minor: Minor('Maximum amount'),
    currency: Currency,
    can_store: Type.Boolean({
      description: 'True if it can store a payment method for automatic top-up',
    }),
  },
  { $id: 'PaymentProvider', description: 'A payment provider' },
);

export const listPaymentProviders = endpoint({
  audience: 'panel',
  operation: 'listPaymentProviders',
  method: 'GET',
  path: '/payment-providers',
  access: 'viewer',
  tag: 'money',
  summary: 'List the payment providers',
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
