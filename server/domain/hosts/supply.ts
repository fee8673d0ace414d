import {
  addUp,
  type HostCapacity,
  NO_RESOURCES,
  RESOURCES,
  type Resources,
  resourcesOf,
  type Shortage,
  shortageOf,
  withOverhead,
} from '../../compute/driver.ts';
import type { Queryable } from '../../db/database.ts';
import { type Reservation, type ReservedGroup, reservedGroups } from '../../db/queries/vms/reservations.ts';
import { type ApiError, capacityUnavailable } from '../../platform/errors.ts';
import type { Size } from '../billing/pricing.ts';
import { type KnownHost, zonesOn } from './known-host.ts';

/** A size as sold: with dedicated cores or without. */
export interface SoldSize extends Size {
  dedicated: boolean;
}

/**
 * A host's capacity and the reserved part of it: by every VM that is on it or on its way, running or not, by snapshots,
 * and by guests that belong to no VM.
 */
export class HostSupply {
  readonly host: KnownHost;
  readonly reserved: Resources;
  /** Number of guests with a reservation. */
  readonly guests: number;

  constructor(host: KnownHost, groups: readonly ReservedGroup[]) {
    const { overhead } = host.capacity;
    const taken = groups.map((group) => {
      const own = overhead(group.guest_ram_mb);
      const { ramMb, diskGb, ...cpus } = fromRow(group);
      return { ...cpus, ramMb: ramMb + group.guests * own.ramMb, diskGb: diskGb + group.guests * own.diskGb };
    });
    this.host = host;
    this.reserved = addUp(taken);
    this.guests = groups.reduce((sum, group) => sum + group.guests, 0);
  }

  /** Returns why a VM cannot be of size `to`, given that it has `from` reserved already; null if it can. */
  refusal(to: Reservation, from?: Reservation): ApiError | null {
    const { capacity } = this.host;
    const cost = (row: Reservation) => withOverhead(fromRow(row), capacity);
    const shortage = shortageOf(capacity.total, this.reserved, cost(to), from && cost(from));
    return shortage ? noRoom(this.host, shortage) : null;
  }

  /** Returns why `gb` of additional disk is refused; null if there is enough space. */
  refusalOfDisk(gb: number): ApiError | null {
    const shortage = shortageOf(this.host.capacity.total, this.reserved, { ...NO_RESOURCES, diskGb: gb });
    return shortage ? noRoom(this.host, shortage) : null;
  }

  /** Returns the highest reserved share of any resource after adding this; 0 if nothing is limited. */
  loadWith(added: Reservation): number {
    const { capacity } = this.host;
    const cost = withOverhead(fromRow(added), capacity);
    const shares = RESOURCES.map((resource) => {
      const total = capacity.total[resource];
      return total > 0 && Number.isFinite(total) ? (this.reserved[resource] + cost[resource]) / total : 0;
    });
    return Math.max(...shares);
  }
}

/**
 * The capacity of an engine's hosts. The catalog, quotes, options and orders all use this class, so that none of them
 * promises what another refuses. An order checks again while it holds the host's lock (`vms/reserve.ts`, `place.ts`).
 */
export class Supply {
  readonly hosts: readonly HostSupply[];

  private constructor(hosts: readonly HostSupply[]) {
    this.hosts = hosts;
  }

  static async read(db: Queryable, hosts: readonly KnownHost[]): Promise<Supply> {
    const ids = hosts.map(({ id }) => id);
    const groups = Map.groupBy(await reservedGroups(db, ids), ({ host_id }) => host_id);
    return new Supply(hosts.map((host) => new HostSupply(host, groups.get(host.id) ?? [])));
  }

  on(hostId: string | null): HostSupply | undefined {
    return this.hosts.find(({ host }) => host.id === hostId);
  }

  /** Returns the zones with capacity for another VM of at least one of these sizes. */
  zonesWithRoom(zones: readonly string[], sizes: readonly Reservation[]): string[] {
    const open = this.hosts.filter(
      (supply) => supply.host.takesNew && sizes.some((size) => !supply.refusal(size)),
    );
    return zones.filter((zone) => open.some(({ host }) => zonesOn(host, [zone]).length > 0));
  }

  /** Sum over all hosts. */
  get total(): Resources {
    return addUp(this.hosts.map(({ host }) => host.capacity.total));
  }

  get reserved(): Resources {
    return addUp(this.hosts.map(({ reserved }) => reserved));
  }

  /** Codes of the catalog's zones that have a host; null if all of them do. */
  get zones(): string[] | null {
    const zones = new Set<string>();
    for (const { host } of this.hosts) {
      if (host.capacity.zones === null) return null;
      for (const zone of host.capacity.zones) zones.add(zone);
    }
    return [...zones];
  }
}

/** Returns the resources that a VM of this size reserves. */
export function reservationOf({ vcpu, ram_mb, disk_gb, dedicated }: SoldSize): Reservation {
  const { cores, ...rest } = resourcesOf({ vcpu, ramMb: ram_mb, diskGb: disk_gb, dedicated });
  return { vcpu: rest.vcpu, cores, ram_mb, disk_gb };
}

/** Returns whether `to` needs more of any resource than `from`. */
export const grows = (from: Reservation, to: Reservation) =>
  to.vcpu > from.vcpu || to.cores > from.cores || to.ram_mb > from.ram_mb || to.disk_gb > from.disk_gb;

/** Returns whether any resource is limited. */
export function isBounded({ total }: HostCapacity): boolean {
  return RESOURCES.some((resource) => Number.isFinite(total[resource]));
}

function fromRow({ vcpu, cores, ram_mb, disk_gb }: Reservation): Resources {
  return { vcpu, cores, ramMb: ram_mb, diskGb: disk_gb };
}

function noRoom({ id }: KnownHost, { resource, left, asked }: Shortage): ApiError {
  return capacityUnavailable(`host ${id} has ${left} ${resource} left, not ${asked}`);
}
