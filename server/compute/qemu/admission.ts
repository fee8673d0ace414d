import {
  addUp,
  CapacityError,
  type EngineTemplate,
  type GuestSize,
  type GuestSpec,
  type HostCapacity,
  type Resources,
  resourcesOf,
  type Shortage,
  shortageOf,
  snapshotGb,
  withOverhead,
} from '../driver.ts';
import { hostResources, memoryMb, overheadOf } from './capacity.ts';
import { GIGABYTE } from './disk/disk.ts';
import type { Guest, GuestRecord } from './guest/guest.ts';
import type { Guests } from './guest/guests.ts';
import type { QemuOptions } from './options.ts';

type Options = Pick<
  QemuOptions,
  'accelerator' | 'capacity' | 'cores' | 'directory' | 'images' | 'network' | 'warm' | 'zones'
>;

/**
 * Makes sure that this host's guests do not have more than the host offers. Capacity is reserved when a VM is sold;
 * this is the last check, against what is really there, before a guest is created, resized or started.
 */
export class Admission {
  readonly #options: Options;
  readonly #guests: Guests;
  readonly #overhead: HostCapacity['overhead'];
  /** Sizes of guests that are being created or resized. */
  readonly #pending = new Map<string, GuestSize>();
  /** Disk sizes, in GB, of rebuilds that are about to begin and are not in the guests' records yet. */
  readonly #secondDisks = new Map<string, number>();

  constructor(options: Options, guests: Guests) {
    this.#options = options;
    this.#guests = guests;
    this.#overhead = overheadOf(options.accelerator);
  }

  async capacity(): Promise<HostCapacity> {
    await this.#options.network.reachable();
    return { total: await this.#total(), overhead: this.#overhead, zones: this.#options.zones };
  }

  /** Returns what guests of a template need; undefined if there is no image for it. */
  async template(code: string): Promise<EngineTemplate | undefined> {
    const image = await this.#options.images.find(code);
    return image && { minDiskGb: Math.ceil(image.virtualBytes / GIGABYTE) };
  }

  /**
   * Runs `work`, which creates a guest of this size or resizes one. Throws {@link CapacityError} if there is no space
   * for it.
   */
  async within<T>(id: string, size: GuestSize, work: () => Promise<T>): Promise<T> {
    const total = await this.#total();
    this.#require(total, id, size);
    this.#pending.set(id, size);
    try {
      return await work();
    } finally {
      this.#pending.delete(id);
    }
  }

  /** Same as `within`, for a rebuild: the guest has a second disk until the rebuild is finished or undone. */
  async rebuilding<T>(spec: GuestSpec, work: () => Promise<T>): Promise<T> {
    const record = this.#guests.find(spec.id)?.record;
    if (!record) return this.within(spec.id, spec, work);
    // The rebuild already has its second disk, so continue it.
    if (record.rebuilt) return work();
    const { diskGb } = spec;
    this.#refuse(shortageOf(await this.#total(), this.#used(), { vcpu: 0, cores: 0, ramMb: 0, diskGb }));
    this.#secondDisks.set(spec.id, diskGb);
    try {
      return await work();
    } finally {
      this.#secondDisks.delete(spec.id);
    }
  }

  async hasRoom(size: GuestSize): Promise<boolean> {
    const total = await this.#total();
    return shortageOf(total, this.#used(), this.#cost(size)) === undefined;
  }

  /**
   * Call before a guest is started. Throws {@link CapacityError} if the memory of the running guests and of this one
   * exceeds the total. QEMU's overhead is not counted, because earlier releases sold memory with less of it. Assigns
   * CPUs to a dedicated guest.
   */
  ready({ record }: Guest): void {
    const running = this.#guests.all().filter(({ id, record: { run } }) => run !== null && id !== record.id);
    const left = memoryMb(this.#options.capacity) - sum(running.map((guest) => guest.record.ramMb));
    if (record.ramMb > left)
      throw new CapacityError(
        `running guests leave ${left} MB of memory, which is less than ${record.ramMb} MB`,
      );
    const others = this.#guests.all().map((guest) => guest.record);
    record.cpus = this.#options.cores.assign(record, others);
  }

  async #total(): Promise<Resources> {
    const { directory, capacity, cores, warm } = this.#options;
    const names = [...this.#guests.all().map(({ id }) => id), ...this.#guests.setAside];
    const reserved = await this.#guests.pool.reservedBytes();
    const total = await hostResources(directory, names, reserved, capacity, cores);
    const making = warm?.making;
    if (making) total.ramMb -= this.#cost(making).ramMb;
    return total;
  }

  #require(total: Resources, id: string, size: GuestSize): void {
    const record = this.#guests.find(id)?.record;
    this.#refuse(shortageOf(total, this.#used(), this.#cost(size), record && this.#cost(record)));
  }

  #refuse(shortage: Shortage | undefined): void {
    if (!shortage) return;
    const { resource, left, asked } = shortage;
    throw new CapacityError(`this host has ${left} ${resource} left, not ${asked}`);
  }

  #used(): Resources {
    const sizes = new Map<string, GuestSize>(this.#guests.all().map(({ id, record }) => [id, record]));
    for (const [id, size] of this.#pending) sizes.set(id, size);
    const more = sum(
      this.#guests.all().map(({ id, record }) => snapshotsGb(record) + this.#formerGb(id, record)),
    );
    const used = addUp([...sizes.values()].map((size) => this.#cost(size)));
    return { ...used, diskGb: used.diskGb + more };
  }

  #formerGb(id: string, { rebuilt }: GuestRecord): number {
    return rebuilt ? (rebuilt.from?.diskGb ?? 0) : (this.#secondDisks.get(id) ?? 0);
  }

  #cost(size: GuestSize): Resources {
    return withOverhead(resourcesOf(size), { overhead: this.#overhead });
  }
}

function snapshotsGb({ snapshots, diskGb }: GuestRecord): number {
  return sum(Object.values(snapshots).map(({ sizeBytes }) => snapshotGb(sizeBytes, diskGb)));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
