import { type ComputeDriver, ComputeUnavailableError, type HostInfo } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import { adoptVms, loseHosts, type ReportedHost, recordHosts } from '../db/queries/hosts/hosts.ts';
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

/**
 * A cluster that has just lost a member does not answer for a moment. Orders are not refused for a shorter silence.
 */
const SILENCE_MS = 5_000;

/** Keeps the recorded hosts of the engine in step with what the engine reports. */
export class HostWatch {
  readonly #parts: WatchParts;
  #hasAdopted = false;
  /** Since when the engine has not answered. */
  #silentSince: Date | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /**
   * Throws if the engine does not answer. The records then stay as they are at first, and after a short time all of
   * its hosts are marked as lost.
   */
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
      if (lost) logger.error({ host: id }, 'a host cannot be reached: the state of its guests is unknown');
      else logger.warn({ host: id }, 'a host can be reached again');
    }
    const [first] = hosts;
    if (this.#hasAdopted || !first) return;
    await db.transaction((tx) => adoptVms(tx, engine, first.id));
    this.#hasAdopted = true;
  }

  /** Marks all hosts as lost, as for single lost hosts, so that operations that would only fail are refused. */
  async #heardNothing(error: unknown): Promise<never> {
    const { clock, compute, db, engine, logger } = this.#parts;
    // Guests that only this node reaches can still be queried; only new ones cannot be created.
    const isAway = error instanceof ComputeUnavailableError && compute.capabilities().reach === 'every_node';
    if (!isAway) throw error;
    const now = clock.now();
    // Measured from the end of the first look: a single look may have failed because this process was delayed.
    this.#silentSince ??= now;
    if (now.getTime() - this.#silentSince.getTime() < SILENCE_MS) throw error;
    const lost = await db.transaction((tx) => loseHosts(tx, engine, now));
    if (lost.length > 0)
      logger.error({ hosts: lost }, 'the engine is not answering: none of its hosts can be reached');
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
