import {
  addUp,
  type EngineCapacity,
  RESOURCES,
  type Resources,
  resourcesOf,
  type Shortage,
  shortageOf,
  withOverhead,
} from '../../compute/driver.ts';
import type { Queryable } from '../../db/database.ts';
import { type Reservation, reservedGroups } from '../../db/queries/reservations.ts';
import { type ApiError, capacityUnavailable } from '../../platform/errors.ts';
import type { Size } from '../billing/pricing.ts';

/** A size as it is sold: with cores of its own, or not. */
export interface SoldSize extends Size {
  dedicated: boolean;
}

/**
 * What an engine has, and what of it is reserved: by every VM, whether it runs or not, by snapshots, and by guests that no
 * VM has. The catalog, quotes, options and orders all ask this one thing, so that none of them promises what another
 * refuses; an order asks it again while it holds the engine's row (`reserve.ts`).
 */
export class Supply {
  readonly capacity: EngineCapacity;
  readonly reserved: Resources;

  private constructor(capacity: EngineCapacity, reserved: Resources) {
    this.capacity = capacity;
    this.reserved = reserved;
  }

  static async read(db: Queryable, engine: string, capacity: EngineCapacity): Promise<Supply> {
    const groups = await reservedGroups(db, engine);
    const taken = groups.map((group) => {
      const own = capacity.overhead(group.guest_ram_mb);
      const { ramMb, diskGb, ...cpus } = fromRow(group);
      return { ...cpus, ramMb: ramMb + group.guests * own.ramMb, diskGb: diskGb + group.guests * own.diskGb };
    });
    return new Supply(capacity, addUp(taken));
  }

  /** Why a VM cannot be of size `to`, where it has `from` reserved already; null where it can. */
  refusal(to: Reservation, from?: Reservation): ApiError | null {
    const cost = (row: Reservation) => withOverhead(fromRow(row), this.capacity);
    const shortage = shortageOf(this.capacity.total, this.reserved, cost(to), from && cost(from));
    return shortage ? noRoom(shortage) : null;
  }

  /** The same for `gb` of disk more. */
  refusalOfDisk(gb: number): ApiError | null {
    const asked = { vcpu: 0, cores: 0, ramMb: 0, diskGb: gb };
    const shortage = shortageOf(this.capacity.total, this.reserved, asked);
    return shortage ? noRoom(shortage) : null;
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
export function isBounded({ total }: EngineCapacity): boolean {
  return RESOURCES.some((resource) => Number.isFinite(total[resource]));
}

function fromRow({ vcpu, cores, ram_mb, disk_gb }: Reservation): Resources {
  return { vcpu, cores, ramMb: ram_mb, diskGb: disk_gb };
}

function noRoom({ resource, left, asked }: Shortage): ApiError {
  return capacityUnavailable(`the engine has ${left} ${resource} left, not ${asked}`);
}
