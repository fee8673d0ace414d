import { ABSENCE_MS, presentNodes } from '../cluster/membership.ts';
import type { Database } from '../db/database.ts';
import { disownJobs, jobOwners } from '../db/queries/owned-jobs.ts';
import type { Clock } from '../platform/clock.ts';

/** Frees the jobs of nodes that are gone. */
export class OrphanedJobRecovery {
  readonly #db: Database;
  readonly #clock: Clock;
  /** Owners that were missing when last looked for, and since when. */
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
    // The embedded database lives in one process: an owner that is not this one is dead.
    const patience = this.#db.engine === 'pglite' ? 0 : ABSENCE_MS;
    const gone = owners.filter((owner) => !present.has(owner));
    this.#missing = new Map(gone.map((owner) => [owner, this.#missing.get(owner) ?? now]));
    for (const [owner, since] of this.#missing)
      if (now - since >= patience) await disownJobs(this.#db, owner);
  }
}
