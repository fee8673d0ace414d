import type { GuestSight, NewCluster } from '../driver.ts';

/** A cluster beside that of the settings. */
export interface ClusterRecord extends NewCluster {
  /** The engine's name and the cluster's own id: ids of its hosts begin with it and a colon. */
  id: string;
}

/** A host as it was last recorded; null where there is no limit, or of zones every one. */
export interface HostRecord {
  id: string;
  name: string;
  zones: string[] | null;
  vcpu: number | null;
  cores: number | null;
  ram_mb: number | null;
  disk_gb: number | null;
}

/** What the service has recorded, as a driver of several clusters must know it while one of them does not answer. */
export interface ClusterStore {
  /** Those beside that of the settings, by region. */
  clusters(): Promise<ClusterRecord[]>;
  /** The hosts that guests are on, as far as that is recorded. */
  hostsOf(guestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Hosts of the cluster of that id. */
  hostsIn(clusterId: string): Promise<HostRecord[]>;
  /** Guests of VMs on these hosts, and those that no VM has. */
  guestsIn(clusterId: string): Promise<Omit<GuestSight, 'power'>[]>;
  /** The only engine of that name whose hosts are recorded, such as "incus:…"; undefined where there is none, or several. */
  onlyEngine(name: string): Promise<string | undefined>;
}
