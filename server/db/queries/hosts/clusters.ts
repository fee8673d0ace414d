import type { ClusterRecord, ClusterStore, HostRecord } from '../../../compute/incus/cluster-store.ts';
import { type Database, execute, maybeOne, type Queryable, type Sql, sql } from '../../database.ts';

/** The condition that a host belongs to the cluster. */
const isOf = (hostId: Sql, clusterId: string) => sql`starts_with(${hostId}, ${`${clusterId}:`})`;

/** Clusters in addition to the one in the settings, with the recorded hosts and guests. */
export class RecordedClusters implements ClusterStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  clusters(): Promise<ClusterRecord[]> {
    return listClusters(this.#db);
  }

  async hostsOf(guestIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#db.query<{ id: string; host_id: string }>(sql`
      select guest_id as id, host_id from orphan_guests where guest_id = any(${guestIds}::text[]) and host_id is not null
      union all select id, host_id from vms where id = any(${guestIds}::text[]) and host_id is not null`);
    return new Map(rows.map(({ id, host_id }) => [id, host_id]));
  }

  hostsIn(clusterId: string): Promise<HostRecord[]> {
    return this.#db.query<HostRecord>(sql`
      select id, name, zones, vcpu, cores, ram_mb, disk_gb from hosts where ${isOf(sql`id`, clusterId)} order by id`);
  }

  async guestsIn(clusterId: string): Promise<{ id: string; hostId: string }[]> {
    return this.#db.query<{ id: string; hostId: string }>(sql`
      select id, host_id as "hostId" from vms where ${isOf(sql`host_id`, clusterId)} and deleted_at is null
      union select guest_id, host_id from orphan_guests where ${isOf(sql`host_id`, clusterId)} order by 1`);
  }

  async onlyEngine(name: string): Promise<string | undefined> {
    const rows = await this.#db.query<{ engine: string }>(
      sql`select distinct engine from hosts where starts_with(engine, ${`${name}:`})`,
    );
    return rows.length === 1 ? rows[0]!.engine : undefined;
  }
}

const RECORD = sql`id, region, endpoints, certificate, project, network, pool, service_networks as "serviceNetworks",
  cpu_overcommit as "cpuOvercommit"`;

/** Lists the clusters that have not been removed, by region. */
export function listClusters(db: Queryable): Promise<ClusterRecord[]> {
  return db.query<ClusterRecord>(
    sql`select ${RECORD} from clusters where removed_at is null order by region`,
  );
}

/** Records a cluster. Returns false if the region already has one, or another region has this cluster. */
export async function insertCluster(db: Queryable, cluster: ClusterRecord, at: Date): Promise<boolean> {
  const { id, region, endpoints, certificate, project, network, pool } = cluster;
  await execute(db, sql`delete from clusters where id = ${id} and removed_at is not null`);
  const rows = await db.query(sql`
    insert into clusters (id, region, endpoints, certificate, project, network, pool, service_networks, cpu_overcommit, added_at)
    values (${id}, ${region}, ${endpoints}::text[], ${certificate}, ${project}, ${network}, ${pool},
      ${cluster.serviceNetworks}::text[], ${cluster.cpuOvercommit}, ${at})
    on conflict do nothing returning id`);
  return rows.length > 0;
}

/** Returns the cluster of a region and locks it; undefined if none was added. */
export function lockClusterOf(db: Queryable, region: string): Promise<ClusterRecord | undefined> {
  return maybeOne<ClusterRecord>(
    db,
    sql`select ${RECORD} from clusters where region = ${region} and removed_at is null for no key update`,
  );
}

export async function updateCluster(db: Queryable, cluster: ClusterRecord): Promise<void> {
  const { id, endpoints, certificate, serviceNetworks, cpuOvercommit } = cluster;
  await execute(
    db,
    sql`
    update clusters set endpoints = ${endpoints}::text[], certificate = ${certificate},
      service_networks = ${serviceNetworks}::text[], cpu_overcommit = ${cpuOvercommit} where id = ${id}`,
  );
}

/**
 * Records that a cluster is removed, and its hosts as lost, so that no waiting order is placed on one. Returns false,
 * and changes nothing, if the cluster has VMs or orphaned guests.
 */
export async function removeEmptyCluster(db: Queryable, clusterId: string, at: Date): Promise<boolean> {
  const hosts = await db.query<{ id: string }>(sql`
    select id from hosts where ${isOf(sql`id`, clusterId)} order by id for no key update`);
  const ids = hosts.map(({ id }) => id);
  const used = await db.query(sql`
    select 1 from vms where deleted_at is null and (host_id = any(${ids}::text[]) or moving_to = any(${ids}::text[]))
    union all select 1 from orphan_guests where host_id = any(${ids}::text[]) limit 1`);
  if (used.length > 0) return false;
  await execute(db, sql`update hosts set lost_at = coalesce(lost_at, ${at}) where id = any(${ids}::text[])`);
  await execute(db, sql`update clusters set removed_at = ${at} where id = ${clusterId}`);
  return true;
}

export async function hasVmsIn(db: Queryable, region: string): Promise<boolean> {
  const row = await maybeOne(
    db,
    sql`select 1 from vms where region = ${region} and deleted_at is null limit 1`,
  );
  return row !== undefined;
}
