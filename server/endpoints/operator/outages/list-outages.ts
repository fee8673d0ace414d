import { listOutages as queryOutages } from '../../../db/queries/hosts/outages.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { CreditedOutageShape, presentCreditedOutage } from './outage-shape.ts';

export const listOutages = endpoint({
  audience: 'operator',
  operation: 'listOutages',
  method: 'GET',
  path: '/outages',
  tag: 'money',
  summary: 'List outages and their credits',
  query: Input(PageQuery),
  data: Type.Array(CreditedOutageShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { catalog, db } }) {
    const page = pageFrom(query);
    return paginated(await queryOutages(db, page), page, (outage) => presentCreditedOutage(outage, catalog));
  },
});
