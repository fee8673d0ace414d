import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { ComputeDriver, NewCluster } from '../driver.ts';
import { Cluster } from './cluster.ts';
import type { ClusterRecord, ClusterStore } from './cluster-store.ts';

export interface RosterParts {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  store: ClusterStore;
  /** The cluster of the settings, which is always there. */
  first: { driver: ComputeDriver; endpoints: readonly string[] };
  /** The driver of another; asks nothing yet. */
  open(cluster: NewCluster): ComputeDriver;
}

/** A cluster, and what was recorded of it when its driver was opened. */
interface Known {
  text: string;
  cluster: Cluster;
}

/** For so long, in milliseconds, it is believed which clusters there are: each node reads for itself what another has recorded. */
const FRESH_MS = 2_000;

/** Which clusters there are: that of the settings, and those that are recorded. */
export class Roster {
  readonly #parts: RosterParts;
  /** To be called with each driver that is opened. */
  readonly #opened: (driver: ComputeDriver) => void;
  /** The cluster of the settings as one of several. */
  #own: Cluster | undefined;
  #added = new Map<string, Known>();
  #place: Promise<string | null> | undefined;
  #readAt: number | undefined;
  #isKnown = false;
  /** Counts reads: of two at a time the later one is right. */
  #turn = 0;
  #reading: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: RosterParts, opened: (driver: ComputeDriver) => void) {
    this.#parts = parts;
    this.#opened = opened;
  }

  /** That of the first cluster, by which all guests are recorded; while that is away, as hosts of it are recorded. */
  place(): Promise<string | null> {
    this.#place ??= this.#parts.first.driver
      .place()
      .catch((error) => this.#recordedPlace(error))
      .catch((error) => {
        this.#place = undefined;
        throw error;
      });
    return this.#place;
  }

  /** All clusters, that of the settings first; undefined where it is the only one. */
  async several(): Promise<Cluster[] | undefined> {
    const { clock, logger, first } = this.#parts;
    const now = clock.now().getTime();
    if (this.#readAt === undefined || Math.abs(now - this.#readAt) >= FRESH_MS) {
      this.#reading ??= this.#read(now);
      await this.#reading;
    }
    if (this.#added.size === 0) return undefined;
    const id = `${first.driver.name}:${await this.place()}`;
    this.#own ??= new Cluster({ clock, logger, ...first, id, region: null });
    return [this.#own, ...[...this.#added.values()].map(({ cluster }) => cluster)];
  }

  /** Reads at the next question what is recorded. */
  changed(): void {
    this.#readAt = undefined;
    // What is under way may have been read before.
    this.#reading = undefined;
  }

  get drivers(): ComputeDriver[] {
    return [this.#parts.first.driver, ...[...this.#added.values()].map(({ cluster }) => cluster.driver)];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reading?.catch(() => {});
    await Promise.all(this.drivers.map((driver) => driver.close()));
  }

  /** While the database says nothing, what was known of it stands. */
  async #read(now: number): Promise<void> {
    const turn = ++this.#turn;
    const records = await this.#parts.store.clusters().catch((error) => error as Error);
    if (turn !== this.#turn) return this.#reading;
    this.#reading = undefined;
    if (records instanceof Error && !this.#isKnown) throw records;
    this.#readAt = now;
    if (records instanceof Error || this.#isClosed) return;
    this.#isKnown = true;
    const before = this.#added;
    this.#added = new Map(records.map((record) => [record.id, this.#keep(before, record)]));
    for (const [id, { cluster }] of before)
      if (this.#added.get(id)?.cluster !== cluster) void cluster.driver.close().catch(() => {});
  }

  #keep(before: ReadonlyMap<string, Known>, record: ClusterRecord): Known {
    const text = JSON.stringify(record);
    const known = before.get(record.id);
    if (known?.text === text) return known;
    const { clock, logger, open } = this.#parts;
    const { id, region, endpoints } = record;
    const driver = open(record);
    this.#opened(driver);
    return { text, cluster: new Cluster({ clock, logger, id, region, endpoints, driver }) };
  }

  /** Only where there are other regions to start for. */
  async #recordedPlace(error: Error): Promise<string> {
    const { store, first } = this.#parts;
    const { name } = first.driver;
    const engine = (await store.clusters()).length > 0 ? await store.onlyEngine(name) : undefined;
    if (engine === undefined) throw error;
    return engine.slice(name.length + 1);
  }
}
