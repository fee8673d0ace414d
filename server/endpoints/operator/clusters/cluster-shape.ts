import type { ClusterState, EngineClusters, EngineWants } from '../../../compute/driver.ts';
import { Count, Shape } from '../../../http/schemas.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { firstAddress } from '../../../platform/cidr.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

export const ClusterShape = Shape(
  {
    id: Type.String({ description: 'Prefix of the ids of its hosts' }),
    regions: Type.Array(Type.String(), {
      description:
        'The regions whose VMs it runs; the cluster of the settings runs those of all regions without their own cluster',
    }),
    endpoints: Type.Array(Type.String(), { description: 'Addresses of members' }),
    reachable: Type.Boolean({ description: 'True if one of its members can be reached' }),
    ok: Type.Boolean({ description: 'True if VMs can be created on it, which also requires a quorum' }),
    summary: Type.String({
      description:
        'Its version and members as it reports them, or the reason why no VMs can be created on it',
    }),
    members_up: Count('Members that can be reached'),
    members_total: Count('All members, as last recorded while it cannot be reached'),
    guests: Count('Number of guests, including those that belong to no VM'),
  },
  { $id: 'Cluster', description: 'A cluster for the VMs of some regions' },
);

export function presentCluster({ members, report: { ok, summary }, ...cluster }: ClusterState) {
  return { ...cluster, ok, summary, members_up: members.up, members_total: members.total };
}

/** Returns the engine's clusters; throws `invalid_state` if the engine does not support several. */
export function requireClusters({ compute }: OperatorServices): EngineClusters {
  if (compute.clusters) return compute.clusters;
  throw new ApiError(
    'invalid_state',
    `The ${compute.name} engine is not a cluster: clusters can only be added if VAUBAN_COMPUTE is incus.`,
  );
}

/** Returns what the catalog sells, for checking that an engine can provide it. */
export function wantsOf({ catalog, config }: OperatorServices): EngineWants {
  const { regions, templates } = catalog;
  return {
    templates: templates.map(({ code }) => code),
    zones: config.zones ?? regions.flatMap((region) => region.zones),
    gateways: regions.map(({ code, ipv4_pool, ipv6_pool }) => ({
      region: code,
      addresses: [firstAddress(ipv4_pool), firstAddress(ipv6_pool)],
    })),
  };
}
