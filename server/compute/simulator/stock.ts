import {
  CapacityError,
  type EngineCapacity,
  type EngineTemplate,
  type GuestSize,
  type Resources,
  resourcesOf,
  shortageOf,
  TemplateUnavailableError,
} from '../driver.ts';
import type { SimulatorStore } from './store.ts';

export interface StockOptions {
  /** What all guests can have together; no limit of what is absent. */
  capacity?: Partial<Resources>;
  /** Zones and templates of the catalog that it serves; every one when absent. */
  zones?: readonly string[];
  templates?: readonly string[];
}

const UNLIMITED: Resources = { vcpu: Infinity, cores: Infinity, ramMb: Infinity, diskGb: Infinity };
/** There is no process whose memory or files would count. */
const NO_OVERHEAD = { ramMb: 0, diskGb: 0 };

/** What the simulated engine pretends to have. */
export class Stock {
  readonly capacity: EngineCapacity;
  readonly #store: SimulatorStore;
  readonly #templates: readonly string[] | undefined;

  constructor(store: SimulatorStore, { capacity, zones, templates }: StockOptions) {
    this.#store = store;
    this.#templates = templates;
    const total = { ...UNLIMITED, ...capacity };
    this.capacity = { total, overhead: () => NO_OVERHEAD, zones: zones ?? null };
  }

  findTemplate(code: string): EngineTemplate | undefined {
    return this.#templates?.includes(code) === false ? undefined : { minDiskGb: 0 };
  }

  /** {@link TemplateUnavailableError} where there is no image of it. */
  requireTemplate(code: string): void {
    if (!this.findTemplate(code)) throw new TemplateUnavailableError(`there is no image of ${code}`);
  }

  /** {@link CapacityError} where the guest, which may be there already, has no room at this size beside the others. */
  async requireRoom(id: string, size: GuestSize): Promise<void> {
    const { total } = this.capacity;
    if (Object.values(total).every((limit) => limit === Infinity)) return;
    const guest = await this.#store.readGuest(id);
    const used = await this.#store.usedResources();
    const shortage = shortageOf(total, used, resourcesOf(size), guest && resourcesOf(guest));
    if (shortage)
      throw new CapacityError(`${shortage.left} ${shortage.resource} are left, not ${shortage.asked}`);
  }
}
