import { systemListTargets } from '../../../db/queries/shield/shield-targets.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { presentTarget, TargetShape } from './target-shape.ts';

export const listAllTargets = endpoint({
  audience: 'operator',
  operation: 'listAllTargets',
  method: 'GET',
  path: '/targets',
  tag: 'shield',
  summary: 'List the targets of all tenants',
  query: Input(PageQuery),
  data: Type.Array(TargetShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { db, clock } }) {
    const page = pageFrom(query);
    return paginated(await systemListTargets(db, page, clock.now()), page, presentTarget);
  },
});
