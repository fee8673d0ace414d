import { askDriver } from '../../../compute/ask.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { ClusterShape, presentCluster, requireClusters } from './cluster-shape.ts';

export const listClusters = endpoint({
  audience: 'operator',
  operation: 'listClusters',
  method: 'GET',
  path: '/clusters',
  tag: 'host',
  summary: 'List the clusters',
  description: 'The cluster of the settings comes first, followed by the added ones by region.',
  data: Type.Array(ClusterShape),
  errors: ['invalid_state', 'compute_unavailable'],
  async handle({ services }) {
    const clusters = requireClusters(services);
    return { data: (await askDriver(() => clusters.list())).map(presentCluster) };
  },
});
