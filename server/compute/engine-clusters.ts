import type { DriverReport, EngineFinding, EngineWants } from './driver.ts';

/** A cluster that an engine is to have beside that of the settings, for one region. */
export interface NewCluster {
  /** Code of the catalog's. */
  region: string;
  /** Addresses of its members, such as "https://10.0.0.1:8443". */
  endpoints: readonly string[];
  /** Its own, PEM: the only one that is then believed. Null: those that the system believes. */
  certificate: string | null;
  project: string;
  network: string;
  pool: string;
  /** CIDRs of the addresses that the nodes of this service have towards guests. */
  serviceNetworks: readonly string[];
  /** Virtual CPUs sold for each CPU of a host. */
  cpuOvercommit: number;
}

/** What was found of a cluster before it is added. */
export interface ExaminedCluster {
  /** The engine's name and the cluster's own id, as ids of its hosts begin; undefined where it has none and something is missing. */
  id: string | undefined;
  findings: EngineFinding[];
}

/** A cluster as it is now. */
export interface ClusterState {
  id: string;
  /** Codes of the regions whose VMs it has; that of the settings has those of all regions without one of their own. */
  regions: readonly string[];
  endpoints: readonly string[];
  reachable: boolean;
  /** Whether guests can be made on it, for which it needs a quorum, too; and its version, or why they cannot. */
  report: DriverReport;
  /** As last recorded while it cannot be reached, and then none of them up. */
  members: { up: number; total: number };
  /** Those that no VM has, too. */
  guests: number;
}

/** Clusters of an engine that has one a region. They are recorded in the database; each node follows that by itself. */
export interface EngineClusters {
  /** Holds a cluster against what guests of its region need. Nothing is recorded; one in which nothing is missing is given an id. */
  examine(cluster: NewCluster, wants: EngineWants): Promise<ExaminedCluster>;
  /** That of the settings first. */
  list(): Promise<ClusterState[]>;
  /** To be called once others are recorded: this node then looks at once. */
  changed(): void;
}
