import { type Database, sql } from '../db/database.ts';
import { disownJobs, jobOwners } from '../db/queries/owned-jobs.ts';
import type { Clock } from '../platform/clock.ts';

/**
 * How long a node must have been missing before its jobs are taken: one that has only lost its connection stops its
 * work well before, and mostly is back by then (see `node.ts`).
 */
export const ABSENCE_MS = 10_000;

/** Numbers of held advisory locks; those of living nodes are among them. */
export async function presentNodes(db: Database): Promise<Set<bigint>> {
  const rows = await db.query<{ id: bigint }>(sql`
    select (classid::bigint << 32) | objid::bigint as id from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())`);
  return new Set(rows.map((row) => row.id));
}

/** Frees the jobs of nodes that are gone. */
export class Adoption {
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
