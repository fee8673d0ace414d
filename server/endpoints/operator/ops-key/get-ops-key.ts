import { operatorEndpoint } from '../../../http/operator/endpoint.ts';
import { OpsKeyShape, presentOpsKey } from './ops-key-shape.ts';

export const getOpsKey = operatorEndpoint({
  operation: 'getOpsKey',
  method: 'GET',
  path: '/ops-key',
  tag: 'service',
  summary: 'Get the SSH key that every guest authorizes',
  data: OpsKeyShape,
  errors: [],
  handle: async ({ services }) => ({ data: await presentOpsKey(services) }),
});
