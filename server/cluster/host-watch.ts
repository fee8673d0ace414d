import { type ComputeDriver, ComputeUnavailableError, type HostInfo } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import { adoptVms, loseHosts, type ReportedHost, recordHosts } from '../db/queries/hosts.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import { reportLosses } from '../domain/hosts/report-losses.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';

interface WatchParts {
  catalog: Catalog;
  clock: Clock;
  compute: ComputeDriver;
  db: Database;
  engine: string;
  logger: Logger;
}

/** A cluster that has just lost a member says nothing for a moment; then nothing need be refused. */
const SILENCE_MS = 5_000;

/** Keeps what is recorded of the engine's hosts in step with what the engine reports. */
export class HostWatch {
  readonly #parts: WatchParts;
  #hasAdopted = false;
  /** Since when the engine says nothing. */
  #silentSince: Date | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Throws where the engine says nothing: then what is recorded stands, and soon each of its hosts is lost. */
  async run(): Promise<void> {
    const { clock, compute, db, engine, logger } = this.#parts;
    const hosts = await compute.hosts().catch((error) => this.#heardNothing(error));
    this.#silentSince = undefined;
    const now = clock.now();
    const seen = hosts.filter(({ reachable }) => reachable).map(({ id }) => id);
    const changes = await db.transaction(async (tx) => {
      await reportLosses(tx, this.#parts, { hostIds: seen }, now);
      return recordHosts(tx, engine, hosts.map(reported), now);
    });
    for (const { id, lost } of changes) {
      if (lost) logger.error({ host: id }, 'a host cannot be reached: nothing is known of its guests');
      else logger.warn({ host: id }, 'a host that could not be reached is back');
    }
    const [first] = hosts;
    if (this.#hasAdopted || !first) return;
    await db.transaction((tx) => adoptVms(tx, engine, first.id));
    this.#hasAdopted = true;
  }

  /** What would only fail is refused from then on, as where single hosts are lost. */
  async #heardNothing(error: unknown): Promise<never> {
    const { clock, compute, db, engine, logger } = this.#parts;
    // Guests that this node alone reaches can be asked about all the same: it is new ones that cannot be made.
    const isAway = error instanceof ComputeUnavailableError && compute.capabilities().reach === 'every_node';
    if (!isAway) throw error;
    const now = clock.now();
    // From the end of the first look: one look alone may have failed because this process was held up.
    this.#silentSince ??= now;
    if (now.getTime() - this.#silentSince.getTime() < SILENCE_MS) throw error;
    const lost = await db.transaction((tx) => loseHosts(tx, engine, now));
    if (lost.length > 0)
      logger.error({ hosts: lost }, 'the engine says nothing: none of its hosts can be reached');
    throw error;
  }
}

function reported({ id, name, reachable, capacity: { total, zones } }: HostInfo): ReportedHost {
  const limit = (amount: number) => (Number.isFinite(amount) ? amount : null);
  return {
    id,
    name,
    zones,
    reachable,
    vcpu: limit(total.vcpu),
    cores: limit(total.cores),
    ram_mb: limit(total.ramMb),
    disk_gb: limit(total.diskGb),
  };
}
