import { setLimits } from '../../../db/queries/access/accounts.ts';
import { LimitsSchema } from '../../../domain/catalog/catalog-schema.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Nullable } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountParams, AccountShape, presentAccount } from './account-shape.ts';
import { requireAccount } from './require-account.ts';

const limitFields = Object.fromEntries(
  Object.entries(LimitsSchema.properties).map(([name, schema]) => [name, Type.Optional(Nullable(schema))]),
);

export const setAccountLimits = endpoint({
  audience: 'operator',
  operation: 'setAccountLimits',
  method: 'POST',
  path: '/accounts/{id}/limits',
  tag: 'account',
  summary: 'Change the quotas of an account',
  params: AccountParams,
  body: Input({
    limits: Type.Object(limitFields, {
      minProperties: 1,
      additionalProperties: false,
      description: 'Quotas by name; null resets a quota to that of the catalog',
      examples: [{ vms: 10 }],
    }),
  }),
  data: AccountShape,
  errors: [],
  async handle({ params: { id }, body, services: { catalog, db, logger } }) {
    const account = await db.transaction(async (tx) => {
      const { limits } = await requireAccount(tx, id);
      const wanted = Object.entries({ ...limits, ...(body.limits as Record<string, number | null>) });
      const kept = wanted.filter((entry): entry is [string, number] => entry[1] !== null);
      await setLimits(tx, id, Object.fromEntries(kept));
      return requireAccount(tx, id);
    });
    logger.info({ account_id: id }, 'limits changed');
    return { data: presentAccount(account, catalog) };
  },
});
