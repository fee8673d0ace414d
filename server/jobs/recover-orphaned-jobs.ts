import { ABSENCE_MS, presentNodes } from '../cluster/membership.ts';
import type { Database } from '../db/database.ts';
import { disownJobs, jobOwners } from '../db/queries/service/owned-jobs.ts';
import type { Clock } from '../platform/clock.ts';

/** Frees the jobs of nodes that have disappeared. */
export class OrphanedJobRecovery {
  readonly #db: Database;
  readonly #clock: Clock;
  /** Owners that were missing at the last check, with the time they were first missed, in epoch milliseconds. */
  #missing = new Map<bigint, number>();

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  async run(): Promise<void> {
    const owners = await jobOwners(this.#db);
    if (owners.length === 0) return this.#missing.clear();
    const present = await presentNodes(this.#db);
    const now = this.#clock.now().getTime();
    // Only one process uses the embedded database, so any other owner is dead.
    const patience = this.#db.engine === 'pglite' ? 0 : ABSENCE_MS;
    const gone = owners.filter((owner) => !present.has(owner));
    this.#missing = new Map(gone.map((owner) => [owner, this.#missing.get(owner) ?? now]));
    for (const [owner, since] of this.#missing)
      if (now - since >= patience) await disownJobs(this.#db, owner);
  }
}
