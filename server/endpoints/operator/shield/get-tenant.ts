import { endpoint } from '../../../http/endpoint.ts';
import { requireTenant, TenantParams, TenantShape } from './tenant-shape.ts';

export const getTenant = endpoint({
  audience: 'operator',
  operation: 'getTenant',
  method: 'GET',
  path: '/tenants/{id}',
  tag: 'shield',
  summary: 'Get a DDoS Shield tenant',
  params: TenantParams,
  data: TenantShape,
  errors: [],
  handle: async ({ params: { id }, services: { db } }) => ({ data: await requireTenant(db, id) }),
});
