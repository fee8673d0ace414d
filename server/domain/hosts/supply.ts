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
import { type Reservation, type ReservedGroup, reservedGroups } from '../../db/queries/reservations.ts';
import { type ApiError, capacityUnavailable } from '../../platform/errors.ts';
import type { Size } from '../billing/pricing.ts';
import { type KnownHost, zonesOn } from './known-host.ts';

/** A size as it is sold: with cores of its own, or not. */
export interface SoldSize extends Size {
  dedicated: boolean;
}

/**
 * What a host has, and what of it is reserved: by every VM that is there or on its way, whether it runs or not, by
 * snapshots, and by guests that no VM has.
 */
export class HostSupply {
  readonly host: KnownHost;
  readonly reserved: Resources;
  /** How many guests have reserved it. */
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

  /** Why a VM cannot be of size `to`, where it has `from` reserved already; null where it can. */
  refusal(to: Reservation, from?: Reservation): ApiError | null {
    const { capacity } = this.host;
    const cost = (row: Reservation) => withOverhead(fromRow(row), capacity);
    const shortage = shortageOf(capacity.total, this.reserved, cost(to), from && cost(from));
    return shortage ? noRoom(this.host, shortage) : null;
  }

  /** The same for `gb` of disk more. */
  refusalOfDisk(gb: number): ApiError | null {
    const shortage = shortageOf(this.host.capacity.total, this.reserved, { ...NO_RESOURCES, diskGb: gb });
    return shortage ? noRoom(this.host, shortage) : null;
  }

  /** The largest share of anything that would be reserved with this in addition; 0 where nothing has a limit. */
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
 * What the hosts of an engine have. The catalog, quotes, options and orders all ask this one thing, so that none of them
 * promises what another refuses; an order asks it again while it holds the host's row (`vms/reserve.ts`, `place.ts`).
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

  /** Those of the zones in which there is room for another VM of one of these sizes. */
  zonesWithRoom(zones: readonly string[], sizes: readonly Reservation[]): string[] {
    const open = this.hosts.filter(
      (supply) => supply.host.takesNew && sizes.some((size) => !supply.refusal(size)),
    );
    return zones.filter((zone) => open.some(({ host }) => zonesOn(host, [zone]).length > 0));
  }

  /** Of all hosts together. */
  get total(): Resources {
    return addUp(this.hosts.map(({ host }) => host.capacity.total));
  }

  get reserved(): Resources {
    return addUp(this.hosts.map(({ reserved }) => reserved));
  }

  /** Codes of the catalog's zones that any host is in; null is every one. */
  get zones(): string[] | null {
    const zones = new Set<string>();
    for (const { host } of this.hosts) {
      if (host.capacity.zones === null) return null;
      for (const zone of host.capacity.zones) zones.add(zone);
    }
    return [...zones];
  }
}

/** What a VM of this size reserves. */
export function reservationOf({ vcpu, ram_mb, disk_gb, dedicated }: SoldSize): Reservation {
  const { cores, ...rest } = resourcesOf({ vcpu, ramMb: ram_mb, diskGb: disk_gb, dedicated });
  return { vcpu: rest.vcpu, cores, ram_mb, disk_gb };
}

/** Whether `to` needs anything that `from` has not. */
export const grows = (from: Reservation, to: Reservation) =>
  to.vcpu > from.vcpu || to.cores > from.cores || to.ram_mb > from.ram_mb || to.disk_gb > from.disk_gb;

/** Whether anything of it can run out. */
export function isBounded({ total }: HostCapacity): boolean {
  return RESOURCES.some((resource) => Number.isFinite(total[resource]));
}

function fromRow({ vcpu, cores, ram_mb, disk_gb }: Reservation): Resources {
  return { vcpu, cores, ramMb: ram_mb, diskGb: disk_gb };
}

function noRoom({ id }: KnownHost, { resource, left, asked }: Shortage): ApiError {
  return capacityUnavailable(`host ${id} has ${left} ${resource} left, not ${asked}`);
}
