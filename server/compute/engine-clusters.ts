import type { DriverReport, EngineFinding, EngineWants } from './driver.ts';

/** A cluster for one region, to be added to the one in the settings. */
export interface NewCluster {
  /** Code of the catalog. */
  region: string;
  /** Addresses of its members, such as "https://10.0.0.1:8443". */
  endpoints: readonly string[];
  /** The cluster's own certificate, PEM, which is then the only one accepted. Null accepts those that the system trusts. */
  certificate: string | null;
  project: string;
  network: string;
  pool: string;
  /** CIDRs of the addresses from which this service's nodes reach the guests. */
  serviceNetworks: readonly string[];
  /** Virtual CPUs sold per CPU of a host. */
  cpuOvercommit: number;
}

export interface ExaminedCluster {
  /**
   * The engine's name and the cluster's own id, which is how ids of its hosts begin. Undefined if it has no id yet and
   * something is missing.
   */
  id: string | undefined;
  findings: EngineFinding[];
}

export interface ClusterState {
  id: string;
  /** Codes of the regions it serves. The cluster of the settings serves all regions without their own cluster. */
  regions: readonly string[];
  endpoints: readonly string[];
  reachable: boolean;
  /** Reports whether guests can be created on it, which also needs a quorum, with its version or the reason they cannot. */
  report: DriverReport;
  /** While it cannot be reached, the total is as last recorded and none are up. */
  members: { up: number; total: number };
  /** Includes guests without a VM. */
  guests: number;
}

/** Clusters of an engine that has one per region. They are recorded in the database, which each node reads on its own. */
export interface EngineClusters {
  /**
   * Checks a cluster against what guests of its region need. Records nothing, but assigns the cluster an id if nothing
   * is missing.
   */
  examine(cluster: NewCluster, wants: EngineWants): Promise<ExaminedCluster>;
  /** Lists the clusters, that of the settings first. */
  list(): Promise<ClusterState[]>;
  /** Call after recording a change, so that this node reads the records at once. */
  changed(): void;
}
