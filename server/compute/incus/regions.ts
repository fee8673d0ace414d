import type { EngineWants, HostInfo } from '../driver.ts';
import type { Cluster } from './cluster.ts';
import type { HostRecord } from './cluster-store.ts';
import { overhead } from './hosts.ts';

/** A region of the catalog. */
export interface Region {
  code: string;
  zones: readonly string[];
}

type OfRegion = Pick<Cluster, 'region'>;

/** Which regions each of several clusters has the VMs of, and what follows from that for its hosts. */
export class Regions {
  readonly #all: readonly Region[];

  constructor(all: readonly Region[]) {
    this.#all = all;
  }

  /** Codes of a cluster's regions: the one that it was added for; of that of the settings all for which none was. */
  of(region: string | null, all: readonly OfRegion[]): string[] {
    const taken = new Set(all.map((cluster) => cluster.region));
    const codes = this.#all.map(({ code }) => code);
    return codes.filter((code) => (region === null ? !taken.has(code) : code === region));
  }

  /** A host as others see it: in zones of its cluster's regions, by a name that no host of another cluster has. */
  shown(host: HostInfo, cluster: Cluster, all: readonly Cluster[]): HostInfo {
    const { region } = cluster;
    const name = region === null ? host.name : `${host.name}@${region}`;
    return this.narrowed({ ...host, name }, cluster, all);
  }

  /** A host, in zones of its cluster's regions alone. */
  narrowed(host: HostInfo, { region }: OfRegion, all: readonly OfRegion[]): HostInfo {
    const own = this.#zonesOf(this.of(region, all));
    const { zones } = host.capacity;
    const narrow = zones === null ? own : zones.filter((zone) => own.includes(zone));
    return { ...host, capacity: { ...host.capacity, zones: narrow } };
  }

  /** What of all that is sold is sold in a cluster's regions. Which zones members in no group are in is set for the first alone. */
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

/** A host as it was last recorded, which cannot be reached now. */
export function lostHost({ id, name, zones, vcpu, cores, ram_mb, disk_gb }: HostRecord): HostInfo {
  const limit = (amount: number | null) => amount ?? Number.POSITIVE_INFINITY;
  const total = { vcpu: limit(vcpu), cores: limit(cores), ramMb: limit(ram_mb), diskGb: limit(disk_gb) };
  return { id, name, reachable: false, capacity: { total, overhead, zones } };
}
