import { SHOWN_TOP_UP_STATUSES, systemListTopUps } from '../../../db/queries/money/top-ups.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { presentTopUp, TopUpShape } from './top-up-shape.ts';

export const listTopUps = endpoint({
  audience: 'operator',
  operation: 'listTopUps',
  method: 'GET',
  path: '/top-ups',
  tag: 'money',
  summary: 'List the top-ups of all accounts',
  query: Input({
    ...PageQuery,
    status: Type.Optional(Enum(SHOWN_TOP_UP_STATUSES)),
    provider: Type.Optional(Type.String({ maxLength: 40 })),
  }),
  data: Type.Array(TopUpShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { db } }) {
    const page = pageFrom(query);
    const { status, provider } = query;
    return paginated(await systemListTopUps(db, { status, provider }, page), page, presentTopUp);
  },
});
