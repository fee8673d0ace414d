import { listOrphans as queryOrphans } from '../../../db/queries/hosts/orphans.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { orphanFields, presentOrphan } from './orphan-shape.ts';

export const listOrphans = endpoint({
  audience: 'operator',
  operation: 'listOrphans',
  method: 'GET',
  path: '/orphans',
  tag: 'host',
  summary: 'List guests that belong to no VM',
  query: Input(PageQuery),
  data: Type.Array(Shape(orphanFields, { $id: 'Orphan', description: 'A guest that belongs to no VM' })),
  paginated: true,
  errors: [],
  async handle({ query, services: { db, guests } }) {
    // Updates the list first, if the engine can be reached.
    await guests.run().catch(() => {});
    const page = pageFrom(query);
    return paginated(await queryOrphans(db, page), page, presentOrphan);
  },
});
