import { askDriver } from '../../../compute/ask.ts';
import { listClusters, lockClusterOf, updateCluster } from '../../../db/queries/hosts/clusters.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { Code } from '../shared/input.ts';
import { ClusterChange, changed } from './cluster-input.ts';
import { ClusterShape, presentCluster, requireClusters, wantsOf } from './cluster-shape.ts';

export const changeCluster = endpoint({
  audience: 'operator',
  operation: 'changeCluster',
  method: 'POST',
  path: '/clusters/{region}/change',
  tag: 'host',
  summary: 'Change the connection to the cluster that was added for a region',
  description:
    'Absent fields stay as they are. The cluster itself must be the same: it is contacted with the new values before anything is recorded. Each ' +
    'node starts using them automatically within seconds and retries its current operations there. Over the socket only.',
  params: Type.Object({ region: Code('eu-west') }),
  body: ClusterChange,
  data: ClusterShape,
  errors: ['invalid_state', 'compute_unavailable'],
  async handle({ params: { region }, body, services }) {
    const { db, logger } = services;
    const clusters = requireClusters(services);
    const before = (await listClusters(db)).find((cluster) => cluster.region === region);
    if (!before) throw notFound();
    const wanted = changed(body, before);
    // Findings do not matter here: the cluster has to be reachable before anyone can fix them.
    const { id } = await askDriver(() => clusters.examine(wanted, wantsOf(services)));
    if (id !== before.id) throw notTheSame(id, before.id);
    await db.transaction(async (tx) => {
      const cluster = await lockClusterOf(tx, region);
      if (cluster?.id !== before.id) throw notFound();
      // Another operator may have changed something else in the meantime.
      await updateCluster(tx, changed(body, cluster));
    });
    clusters.changed();
    logger.warn({ region, cluster: before.id }, 'cluster changed');
    const now = (await askDriver(() => clusters.list())).find((state) => state.id === before.id)!;
    return { data: presentCluster(now) };
  },
});

function notTheSame(found: string | undefined, wanted: string) {
  const what = found === undefined ? 'one that this service has never used' : found;
  return invalidField('endpoints', 'conflict', `lead to a different cluster: ${what} instead of ${wanted}`);
}
