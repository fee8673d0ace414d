import { randomBytes } from 'node:crypto';
import { type Database, type Session, sql } from '../db/database.ts';
import { disownJobs, jobOwners, unownedJobs } from '../db/queries/jobs.ts';

/** Jobs looked at in one round; the next round takes the rest. */
const BATCH = 100;

/**
 * This process among the nodes. While it lives, a session of its own holds an advisory lock on its number,
 * which the database drops the moment the process dies: that is how the others know, without clocks or
 * heartbeats, that its jobs are free to be taken up.
 */
export class Node {
  readonly id = randomBytes(8).readBigInt64BE();
  readonly #db: Database;
  #session: Session | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Announces the node, and again after its session was lost. */
  async announce(): Promise<void> {
    if (this.#session && (await presentNodes(this.#db)).has(this.id)) return;
    this.#session?.release();
    this.#session = await this.#db.reserve();
    await this.#session.query(sql`select pg_advisory_lock(${this.id}::bigint)`);
  }

  async leave(): Promise<void> {
    await this.#session?.query(sql`select pg_advisory_unlock(${this.id}::bigint)`);
    this.#session?.release();
    this.#session = undefined;
  }
}

/** Numbers that somebody holds an advisory lock on; those of living nodes are among them. */
export async function presentNodes(db: Database): Promise<Set<bigint>> {
  const rows = await db.query<{ id: bigint }>(sql`
    select (classid::bigint << 32) | objid::bigint as id from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())`);
  return new Set(rows.map((row) => row.id));
}

/** Frees the jobs of nodes that are gone, and hands every job that nobody runs to `deliver`. */
export async function adoptJobs(db: Database, deliver: (jobId: string) => Promise<void>): Promise<void> {
  const owners = await jobOwners(db);
  if (owners.length > 0) {
    const present = await presentNodes(db);
    for (const owner of owners) if (!present.has(owner)) await disownJobs(db, owner);
  }
  for (const { id } of await unownedJobs(db, BATCH)) await deliver(id);
}
