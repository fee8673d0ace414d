import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { ComputeDriver, NewCluster } from '../driver.ts';
import { Cluster } from './cluster.ts';
import type { ClusterRecord, ClusterStore } from './cluster-store.ts';

export interface RosterParts {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  store: ClusterStore;
  /** The cluster of the settings, which always exists. */
  first: { driver: ComputeDriver; endpoints: readonly string[] };
  /** Creates the driver of another cluster without contacting it. */
  open(cluster: NewCluster): ComputeDriver;
}

/** A cluster and its record when the driver was opened, as JSON. */
interface Known {
  text: string;
  cluster: Cluster;
}

/** Cache time of the cluster list, in milliseconds. Each node reads on its own what another has recorded. */
const FRESH_MS = 2_000;

/** The list of clusters: that of the settings and the recorded ones. */
export class Roster {
  readonly #parts: RosterParts;
  readonly #opened: (driver: ComputeDriver) => void;
  /** The cluster of the settings, wrapped once there are others. */
  #own: Cluster | undefined;
  #added = new Map<string, Known>();
  #place: Promise<string | null> | undefined;
  #readAt: number | undefined;
  #isKnown = false;
  /** Number of the latest read: if two overlap, the later one counts. */
  #turn = 0;
  #reading: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: RosterParts, opened: (driver: ComputeDriver) => void) {
    this.#parts = parts;
    this.#opened = opened;
  }

  /**
   * Returns the id of the first cluster, under which all guests are recorded. While that cluster is away, the id comes
   * from the records of its hosts.
   */
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

  /** Returns all clusters, that of the settings first; undefined if it is the only one. */
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

  /** Makes the next call read the records again. */
  changed(): void {
    this.#readAt = undefined;
    // A read in progress may have missed the change.
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

  /** While the database is unavailable, the previous list stays valid. */
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

  /** Used only if there are other regions worth starting for. */
  async #recordedPlace(error: Error): Promise<string> {
    const { store, first } = this.#parts;
    const { name } = first.driver;
    const engine = (await store.clusters()).length > 0 ? await store.onlyEngine(name) : undefined;
    if (engine === undefined) throw error;
    return engine.slice(name.length + 1);
  }
}
