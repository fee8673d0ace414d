import type { Queryable } from '../../../db/database.ts';
import { findAutoTopUp, listPaymentMethods } from '../../../db/queries/money/payment-methods.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import type { Catalog } from '../../../domain/catalog/catalog-schema.ts';
import { topUpLimits } from '../../../domain/catalog/top-up-schema.ts';
import { Count, Currency, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

const MethodShape = Shape(
  {
    id: Id('pmt'),
    provider: Type.String(),
    label: Type.String({ examples: ['visa 4242'] }),
    expires_on: Nullable(Type.String({ description: 'Month', examples: ['2030-04'] })),
    created_at: Timestamp(),
  },
  { $id: 'PaymentMethod', description: 'A payment method stored by a provider for later charges' },
);

export const AutoTopUpShape = Shape(
  {
    enabled: Type.Boolean(),
    threshold_minor: Minor('The wallet is topped up when its balance falls below this amount'),
    amount_minor: Minor('Amount of the top-up'),
    currency: Currency,
    payment_method_id: Nullable(Id('pmt')),
    methods: Type.Array(MethodShape, { description: 'Stored payment methods' }),
    failures: Count('Consecutive failures; after four, it is turned off'),
    last_error: Nullable(Type.String({ description: 'Reason for the last failure' })),
    next_attempt_at: Nullable(Timestamp('Time of the next attempt after a failure')),
  },
  { $id: 'AutoTopUp', description: 'Automatic top-up of an account' },
);

/** Presents the settings; if there are none yet, automatic top-up is off, with initial amounts. */
export async function presentAutoTopUp(db: Queryable, accountId: string, catalog: Catalog) {
  const [auto, methods] = await Promise.all([
    findAutoTopUp(db, accountId),
    listPaymentMethods(db, accountId),
  ]);
  const { min } = topUpLimits(catalog);
  return {
    enabled: auto?.enabled ?? false,
    threshold_minor: toJsonInteger(auto?.threshold_minor ?? min),
    amount_minor: toJsonInteger(auto?.amount_minor ?? min),
    currency: catalog.currency,
    payment_method_id: auto?.payment_method_id ?? null,
    methods: methods.map(({ id, provider, label, expires_on, created_at }) => ({
      id,
      provider,
      label,
      expires_on,
      created_at,
    })),
    failures: auto?.failures ?? 0,
    last_error: auto?.last_error ?? null,
    next_attempt_at: auto?.next_attempt_at ?? null,
  };
}
