import type { GuestSight, NewCluster } from '../driver.ts';

/** A cluster added by an operator, in addition to the one in the settings. */
export interface ClusterRecord extends NewCluster {
  /** The engine's name and the cluster's own id. The ids of its hosts begin with this and a colon. */
  id: string;
}

/** A host as last recorded. A null limit means unlimited; null zones mean every zone. */
export interface HostRecord {
  id: string;
  name: string;
  zones: string[] | null;
  vcpu: number | null;
  cores: number | null;
  ram_mb: number | null;
  disk_gb: number | null;
}

/** The service's own records, which a driver of several clusters relies on while one of them does not answer. */
export interface ClusterStore {
  /** Returns the clusters other than the one in the settings, by region. */
  clusters(): Promise<ClusterRecord[]>;
  /** Returns the recorded hosts of these guests; a guest without a record is left out. */
  hostsOf(guestIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  hostsIn(clusterId: string): Promise<HostRecord[]>;
  /** Returns the guests recorded on the cluster's hosts, with and without a VM. */
  guestsIn(clusterId: string): Promise<Omit<GuestSight, 'power'>[]>;
  /**
   * Returns the only engine of that name whose hosts are recorded, such as "incus:…"; undefined if there is none or
   * more than one.
   */
  onlyEngine(name: string): Promise<string | undefined>;
}
