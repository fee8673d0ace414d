import { createAccount as insertAccount } from '../../../domain/accounts/create-account.ts';
import { LimitsSchema } from '../../../domain/catalog/catalog-schema.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { invalidField } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { Line, requireReadable } from '../shared/input.ts';
import { AccountShape, presentAccount } from './account-shape.ts';
import { requireAccount } from './require-account.ts';

export const createAccount = endpoint({
  audience: 'operator',
  operation: 'createAccount',
  method: 'POST',
  path: '/accounts',
  tag: 'account',
  summary: 'Create an account',
  body: Input({
    name: Line('Example Ltd'),
    currency: Type.Optional(Type.String({ description: 'Currency of the catalog, which is the default' })),
    limits: Type.Optional(
      Type.Partial(LimitsSchema, {
        additionalProperties: false,
        description: 'Individual quotas; default to those of the catalog',
      }),
    ),
  }),
  data: AccountShape,
  errors: [],
  async handle({ body, services: { catalog, clock, db, logger } }) {
    const { name, currency = catalog.currency, limits = {} } = body;
    requireReadable('name', name);
    if (currency !== catalog.currency) {
      throw invalidField('currency', 'not_allowed', `must be ${catalog.currency}, the catalog's currency`);
    }
    const account = await db.transaction(async (tx) => {
      const { id } = await insertAccount(tx, clock, { name, currency, limits });
      return requireAccount(tx, id);
    });
    logger.info({ account_id: account.id }, 'account created');
    return { data: presentAccount(account, catalog) };
  },
});
