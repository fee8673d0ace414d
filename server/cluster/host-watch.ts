import type { ComputeDriver, HostInfo } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import { adoptVms, type ReportedHost, recordHosts } from '../db/queries/hosts.ts';
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

/** Keeps what is recorded of the engine's hosts in step with what the engine reports. */
export class HostWatch {
  readonly #parts: WatchParts;
  #hasAdopted = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Throws where the engine says nothing: then what is recorded stands. */
  async run(): Promise<void> {
    const { clock, compute, db, engine, logger } = this.#parts;
    const hosts = await compute.hosts();
    const now = clock.now();
    const seen = hosts.filter(({ reachable }) => reachable).map(({ id }) => id);
    const changes = await db.transaction(async (tx) => {
      await reportLosses(tx, this.#parts, seen, now);
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
