import type { EngineWants, HostInfo } from '../driver.ts';
import type { Cluster } from './cluster.ts';
import type { HostRecord } from './cluster-store.ts';
import { overhead } from './hosts.ts';

export interface Region {
  code: string;
  zones: readonly string[];
}

type OfRegion = Pick<Cluster, 'region'>;

/** Assigns regions to several clusters and adjusts their hosts accordingly. */
export class Regions {
  readonly #all: readonly Region[];

  constructor(all: readonly Region[]) {
    this.#all = all;
  }

  /**
   * Returns the codes of a cluster's regions: the one it was added for, or, for the cluster of the settings, all
   * regions without their own cluster.
   */
  of(region: string | null, all: readonly OfRegion[]): string[] {
    const taken = new Set(all.map((cluster) => cluster.region));
    const codes = this.#all.map(({ code }) => code);
    return codes.filter((code) => (region === null ? !taken.has(code) : code === region));
  }

  /** Returns a host limited to the zones of its cluster's regions, with a name that is unique across clusters. */
  shown(host: HostInfo, cluster: Cluster, all: readonly Cluster[]): HostInfo {
    const { region } = cluster;
    const name = region === null ? host.name : `${host.name}@${region}`;
    return this.narrowed({ ...host, name }, cluster, all);
  }

  /** Returns a host limited to the zones of its cluster's regions. */
  narrowed(host: HostInfo, { region }: OfRegion, all: readonly OfRegion[]): HostInfo {
    const own = this.#zonesOf(this.of(region, all));
    const { zones } = host.capacity;
    const narrow = zones === null ? own : zones.filter((zone) => own.includes(zone));
    return { ...host, capacity: { ...host.capacity, zones: narrow } };
  }

  /**
   * Limits what is sold to a cluster's regions. The zones of members without a group are configured only for the first
   * cluster.
   */
  wantsOf(wants: EngineWants, region: string | null, all: readonly OfRegion[] = []): EngineWants {
    const codes = this.of(region, all);
    const own = this.#zonesOf(codes);
    return {
      templates: wants.templates,
      zones: region === null ? wants.zones.filter((zone) => own.includes(zone)) : own,
      gateways: wants.gateways.filter((gateway) => codes.includes(gateway.region)),
    };
  }

  #zonesOf(codes: readonly string[]): string[] {
    return this.#all.filter(({ code }) => codes.includes(code)).flatMap(({ zones }) => zones);
  }
}

/** Returns a host as last recorded, marked as unreachable. */
export function lostHost({ id, name, zones, vcpu, cores, ram_mb, disk_gb }: HostRecord): HostInfo {
  const limit = (amount: number | null) => amount ?? Number.POSITIVE_INFINITY;
  const total = { vcpu: limit(vcpu), cores: limit(cores), ramMb: limit(ram_mb), diskGb: limit(disk_gb) };
  return { id, name, reachable: false, capacity: { total, overhead, zones } };
}
