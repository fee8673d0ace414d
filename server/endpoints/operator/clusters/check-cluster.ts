import { askDriver } from '../../../compute/ask.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Shape } from '../../../http/schemas.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { wantsOf } from './cluster-shape.ts';

export const checkCluster = endpoint({
  audience: 'operator',
  operation: 'checkCluster',
  method: 'GET',
  path: '/cluster',
  tag: 'host',
  summary: 'Check the clusters that VMs run on, item by item',
  description:
    'Queries their members and compares the results with the catalog. Changes nothing. Items of an added cluster begin ' +
    'with its region.',
  data: Shape(
    {
      compute: Type.String({ description: 'The engine that the service runs' }),
      findings: Type.Array(
        Shape({
          what: Type.String(),
          state: Enum(['ok', 'limited', 'missing'], {
            description: '`limited`: guests run with restrictions. `missing`: guests cannot run',
          }),
          found: Type.String({
            description: 'The finding, or the problem and its solution',
          }),
        }),
      ),
    },
    { $id: 'ClusterCheck', description: 'Requirements of guests for the cluster, item by item' },
  ),
  errors: ['invalid_state', 'compute_unavailable'],
  async handle({ services }) {
    const { compute } = services;
    const findings = await askDriver(async () => compute.check?.(wantsOf(services)));
    if (!findings)
      throw new ApiError(
        'invalid_state',
        `The ${compute.name} engine is not a cluster. Run vaubanctl doctor to check this machine.`,
      );
    return { data: { compute: compute.name, findings } };
  },
});
