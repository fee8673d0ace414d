import { endpoint } from '../../../http/endpoint.ts';
import { OpsKeyShape, presentOpsKey } from './ops-key-shape.ts';

export const getOpsKey = endpoint({
  audience: 'operator',
  operation: 'getOpsKey',
  method: 'GET',
  path: '/ops-key',
  tag: 'service',
  summary: 'Get the SSH key that every guest authorizes',
  data: OpsKeyShape,
  errors: [],
  handle: async ({ services }) => ({ data: await presentOpsKey(services) }),
});
