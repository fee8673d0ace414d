import { askDriver } from '../../../compute/ask.ts';
import type { EngineFinding } from '../../../compute/driver.ts';
import type { Queryable } from '../../../db/database.ts';
import { hasVmsIn, insertCluster, listClusters } from '../../../db/queries/hosts/clusters.ts';
import { endpoint } from '../../../http/endpoint.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { ClusterInput, newCluster } from './cluster-input.ts';
import { ClusterShape, presentCluster, requireClusters, wantsOf } from './cluster-shape.ts';

export const addCluster = endpoint({
  audience: 'operator',
  operation: 'addCluster',
  method: 'POST',
  path: '/clusters',
  tag: 'host',
  summary: 'Add a cluster for the VMs of a region',
  description:
    'It must trust the certificate of the service. All requirements of guests are checked first, and nothing is recorded if an item ' +
    'is missing. Each node starts using it automatically within seconds. Absent fields are as in the settings. Over the socket ' +
    'only.',
  body: ClusterInput,
  data: ClusterShape,
  errors: ['invalid_state', 'compute_unavailable'],
  async handle({ body, services }) {
    const { clock, db, logger } = services;
    const clusters = requireClusters(services);
    const cluster = newCluster(body, services);
    await requireFree(db, services, cluster.region);
    const { id, findings } = await askDriver(() => clusters.examine(cluster, wantsOf(services)));
    if (id !== undefined) await requireOther(services, id);
    requireWhole(findings);
    await db.transaction(async (tx) => {
      // The region may have been taken while the cluster was being examined.
      await requireFree(tx, services, cluster.region);
      if (!(await insertCluster(tx, { ...cluster, id: id! }, clock.now())))
        throw invalidField('region', 'in_use', `region ${cluster.region} already has a cluster`);
    });
    clusters.changed();
    logger.warn({ region: cluster.region, cluster: id }, 'cluster added');
    const added = (await askDriver(() => clusters.list())).find((state) => state.id === id)!;
    return { data: presentCluster(added) };
  },
});

/** Refuses a region that has a cluster or VMs: existing VMs are on another cluster and cannot leave it. */
async function requireFree(db: Queryable, { catalog }: OperatorServices, region: string): Promise<void> {
  const others = new Set((await listClusters(db)).map((cluster) => cluster.region));
  if (others.has(region)) throw invalidField('region', 'in_use', `region ${region} already has a cluster`);
  if (await hasVmsIn(db, region))
    throw invalidField('region', 'in_use', `region ${region} has VMs on the cluster of the settings`);
  if (catalog.regions.every(({ code }) => code === region || others.has(code)))
    throw invalidField('region', 'not_allowed', 'the cluster of the settings would have no regions left');
}

/** Refuses a cluster that serves another region. */
async function requireOther({ db, engine }: OperatorServices, id: string): Promise<void> {
  const other = (await listClusters(db)).find((cluster) => cluster.id === id);
  const whose = other ? `region ${other.region}` : id === engine ? 'the settings' : undefined;
  if (whose !== undefined)
    throw invalidField('endpoints', 'in_use', `belong to the existing cluster of ${whose}`);
}

/** Refuses a cluster that lacks something every guest needs, and names it. */
function requireWhole(findings: readonly EngineFinding[]): void {
  const missing = findings.filter(({ state }) => state === 'missing');
  const [first] = missing;
  if (!first) return;
  const more =
    missing.length > 1
      ? ` And missing: ${missing
          .slice(1)
          .map(({ what }) => what)
          .join(', ')}.`
      : '';
  throw new ApiError(
    'invalid_state',
    `VMs cannot run on this cluster: ${first.what}: ${first.found}.${more}`,
  );
}
