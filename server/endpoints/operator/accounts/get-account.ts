import { listKeys } from '../../../db/queries/access/api-keys.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { KeyShape, presentKey } from '../keys/key-shape.ts';
import { AccountParams, accountFields, presentAccount } from './account-shape.ts';
import { requireAccount } from './require-account.ts';

export const getAccount = endpoint({
  audience: 'operator',
  operation: 'getAccount',
  method: 'GET',
  path: '/accounts/{id}',
  tag: 'account',
  summary: 'Get an account with its keys',
  params: AccountParams,
  data: Shape(
    { ...accountFields, keys: Type.Array(KeyShape) },
    { $id: 'AccountWithKeys', description: 'An account with all its current and past keys' },
  ),
  errors: [],
  async handle({ params: { id }, services: { catalog, clock, db } }) {
    const account = await requireAccount(db, id);
    const keys = await listKeys(db, id);
    const now = clock.now();
    return { data: { ...presentAccount(account, catalog), keys: keys.map((key) => presentKey(key, now)) } };
  },
});
