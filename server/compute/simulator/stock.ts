import {
  CapacityError,
  ComputeUnavailableError,
  type EngineTemplate,
  type GuestSize,
  type HostInfo,
  RESOURCES,
  type Resources,
  resourcesOf,
  shortageOf,
  TemplateUnavailableError,
} from '../driver.ts';
import { type Guest, hostOf, ONLY_HOST } from './guest.ts';
import type { SimulatorStore } from './store.ts';

/** A simulated machine; its name is its id. */
export interface SimulatedHost {
  name: string;
  /** Default to those of {@link StockOptions}. */
  capacity?: Partial<Resources>;
  zones?: readonly string[];
}

export interface StockOptions {
  /** Defaults to one host called "simulator". */
  hosts?: readonly SimulatedHost[];
  /** Limits of all guests of a host together; a missing resource is unlimited. */
  capacity?: Partial<Resources>;
  /** Zones and templates of the catalog that are available; all by default. */
  zones?: readonly string[];
  templates?: readonly string[];
}

const UNLIMITED: Resources = { vcpu: Infinity, cores: Infinity, ramMb: Infinity, diskGb: Infinity };
/** There is no process whose memory or files would count. */
const NO_OVERHEAD = { ramMb: 0, diskGb: 0 };

/** The hosts and images that the simulated engine pretends to have. */
export class Stock {
  readonly #hosts: ReadonlyMap<string, Omit<HostInfo, 'reachable'>>;
  readonly #store: SimulatorStore;
  readonly #templates: readonly string[] | undefined;

  constructor(store: SimulatorStore, options: StockOptions) {
    const { hosts = [{ name: ONLY_HOST }], capacity, zones, templates } = options;
    this.#store = store;
    this.#templates = templates;
    this.#hosts = new Map(
      hosts.map((host) => {
        const total = { ...UNLIMITED, ...(host.capacity ?? capacity) };
        const has = { total, overhead: () => NO_OVERHEAD, zones: host.zones ?? zones ?? null };
        return [host.name, { id: host.name, name: host.name, capacity: has }];
      }),
    );
  }

  async hosts(): Promise<HostInfo[]> {
    const lost = await this.#store.lostHosts();
    return [...this.#hosts.values()].map((host) => ({ ...host, reachable: !lost.has(host.id) }));
  }

  /** Returns whether the guest's host can be reached, given the hosts that cannot (`lost`). */
  isReachable(guest: Pick<Guest, 'host'>, lost: ReadonlySet<string>): boolean {
    const host = hostOf(guest);
    return this.#hosts.has(host) && !lost.has(host);
  }

  /** Throws {@link ComputeUnavailableError} if the guest's host cannot be reached. */
  requireReachable(guest: Pick<Guest, 'host'>, lost: ReadonlySet<string>): void {
    if (!this.isReachable(guest, lost))
      throw new ComputeUnavailableError(`host ${hostOf(guest)} cannot be reached`);
  }

  findTemplate(code: string): EngineTemplate | undefined {
    return this.#templates?.includes(code) === false ? undefined : { minDiskGb: 0 };
  }

  /** Throws {@link TemplateUnavailableError} if there is no image for it. */
  requireTemplate(code: string): void {
    if (!this.findTemplate(code)) throw new TemplateUnavailableError(`there is no image of ${code}`);
  }

  /**
   * Throws {@link CapacityError} if the host has no space for the guest at this size next to the others. The guest may
   * already exist.
   */
  async requireRoom(hostId: string, id: string, size: GuestSize): Promise<void> {
    const total = this.#hosts.get(hostId)?.capacity.total;
    if (!total || RESOURCES.every((resource) => total[resource] === Infinity)) return;
    const guest = await this.#store.readGuest(id);
    const before = guest && hostOf(guest) === hostId ? resourcesOf(guest) : undefined;
    const used = await this.#store.usedResources(hostId);
    const shortage = shortageOf(total, used, resourcesOf(size), before);
    if (shortage)
      throw new CapacityError(`${shortage.left} ${shortage.resource} are left, not ${shortage.asked}`);
  }
}
