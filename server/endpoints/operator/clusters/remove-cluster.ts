import { lockClusterOf, removeEmptyCluster } from '../../../db/queries/hosts/clusters.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { ApiError, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { Code } from '../shared/input.ts';
import { requireClusters } from './cluster-shape.ts';

export const removeCluster = endpoint({
  audience: 'operator',
  operation: 'removeCluster',
  method: 'POST',
  path: '/clusters/{region}/remove',
  tag: 'host',
  summary: 'Remove the cluster that was added for a region',
  description:
    'Allowed only if it has no VMs and no other guests. Its region is then served by the cluster of the settings again. Over ' +
    'the socket only.',
  params: Type.Object({ region: Code('eu-west') }),
  data: Shape(
    { region: Type.String(), removed: Type.Literal(true) },
    { $id: 'RemovedCluster', description: 'A former cluster for the VMs of a region' },
  ),
  errors: ['invalid_state'],
  async handle({ params: { region }, services }) {
    const { clock, db, logger } = services;
    const clusters = requireClusters(services);
    await db.transaction(async (tx) => {
      const cluster = await lockClusterOf(tx, region);
      if (!cluster) throw notFound();
      if (await removeEmptyCluster(tx, cluster.id, clock.now())) return;
      throw new ApiError(
        'invalid_state',
        `The cluster of ${region} has VMs, or guests that belong to no VM.`,
      );
    });
    clusters.changed();
    logger.warn({ region }, 'cluster removed');
    return { data: { region, removed: true } };
  },
});
