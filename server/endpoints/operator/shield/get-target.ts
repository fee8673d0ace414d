import { endpoint } from '../../../http/endpoint.ts';
import { requireTarget, TargetParams, TargetShape, viewOf } from './target-shape.ts';

export const getTarget = endpoint({
  audience: 'operator',
  operation: 'getTarget',
  method: 'GET',
  path: '/targets/{id}',
  tag: 'shield',
  summary: 'Get a target',
  params: TargetParams,
  data: TargetShape,
  errors: [],
  handle: async ({ params: { id }, services }) => ({
    data: await viewOf(services, await requireTarget(services.db, id)),
  }),
});
