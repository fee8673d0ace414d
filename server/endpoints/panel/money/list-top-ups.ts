import { listTopUps as queryTopUps } from '../../../db/queries/money/top-ups.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { presentTopUp, TopUpShape } from './top-up-shape.ts';

export const listTopUps = endpoint({
  audience: 'panel',
  operation: 'listTopUps',
  method: 'GET',
  path: '/top-ups',
  access: 'viewer',
  tag: 'money',
  summary: 'List top-ups, newest first',
  query: Type.Object(PageQuery),
  data: Type.Array(TopUpShape),
  paginated: true,
  errors: ['invalid_cursor'],
  async handle({ caller, query, db }) {
    const page = pageFrom(query);
    return paginated(await queryTopUps(db, caller.accountId, page), page, presentTopUp);
  },
});
