import { systemListTenants } from '../../../db/queries/shield/shield-tenants.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { TenantShape } from './tenant-shape.ts';

export const listTenants = endpoint({
  audience: 'operator',
  operation: 'listTenants',
  method: 'GET',
  path: '/tenants',
  tag: 'shield',
  summary: 'List the tenants of the DDoS Shield',
  query: Input(PageQuery),
  data: Type.Array(TenantShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { db } }) {
    const page = pageFrom(query);
    return paginated(await systemListTenants(db, page), page, (tenant) => tenant);
  },
});
