import { listKeys as queryKeys } from '../../../db/queries/access/api-keys.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { KeyShape, presentKey } from './key-shape.ts';

export const listKeys = endpoint({
  audience: 'operator',
  operation: 'listKeys',
  method: 'GET',
  path: '/accounts/{id}/keys',
  tag: 'key',
  summary: 'List the keys of an account, including revoked and expired ones',
  params: AccountParams,
  data: Type.Array(KeyShape),
  errors: [],
  async handle({ params: { id }, services: { clock, db } }) {
    await requireAccount(db, id);
    const now = clock.now();
    return { data: (await queryKeys(db, id)).map((key) => presentKey(key, now)) };
  },
});
