import { listKeysPage } from '../../../db/queries/access/api-keys.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { ApiKeyShape, presentKey } from './key-shape.ts';

export const listKeys = endpoint({
  audience: 'panel',
  operation: 'listKeys',
  method: 'GET',
  path: '/keys',
  access: 'viewer',
  tag: 'key',
  summary: 'List the API keys of the account',
  query: Type.Object(PageQuery),
  data: Type.Array(ApiKeyShape),
  paginated: true,
  errors: [],
  async handle({ caller, db, query, now }) {
    const page = pageFrom(query);
    return paginated(await listKeysPage(db, caller.accountId, page), page, (key) => presentKey(key, now));
  },
});
