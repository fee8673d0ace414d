import { listTargets as queryTargets } from '../../../db/queries/shield/shield-targets.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { presentTarget, TargetShape } from './target-shape.ts';
import { requireTenant, TenantParams } from './tenant-shape.ts';

export const listTargets = endpoint({
  audience: 'operator',
  operation: 'listTargets',
  method: 'GET',
  path: '/tenants/{id}/targets',
  tag: 'shield',
  summary: 'List the targets of a tenant',
  params: TenantParams,
  query: Input(PageQuery),
  data: Type.Array(TargetShape),
  paginated: true,
  errors: [],
  async handle({ params: { id }, query, services: { db, clock } }) {
    await requireTenant(db, id);
    const page = pageFrom(query);
    return paginated(await queryTargets(db, id, page, clock.now()), page, presentTarget);
  },
});
