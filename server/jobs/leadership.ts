import { type Database, one, type Session, sql } from '../db/database.ts';

/** Held by the one node that runs the edge: it alone writes to it, and it alone looks for attacks. */
const EDGE_LOCK = 7226_0006;

/**
 * Whether this node leads. A session of its own holds an advisory lock, which the database drops the moment the
 * process dies: another node then leads, without clocks or heartbeats.
 */
export class EdgeLeadership {
  readonly #db: Database;
  #session: Session | undefined;
  #asking: Promise<boolean> | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Whether this node leads now; it does from here on if nobody else did. */
  holds(): Promise<boolean> {
    this.#asking ??= this.#hold().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async leave(): Promise<void> {
    await this.#asking?.catch(() => {});
    await this.#session?.query(sql`select pg_advisory_unlock(${EDGE_LOCK})`);
    this.#session?.release();
    this.#session = undefined;
  }

  async #hold(): Promise<boolean> {
    if (this.#session) {
      try {
        await this.#session.query(sql`select 1`);
        return true;
      } catch {
        // The session was lost, and the lock with it.
        this.#session.release();
        this.#session = undefined;
      }
    }
    const session = await this.#db.reserve();
    try {
      const { held } = await one<{ held: boolean }>(
        session,
        sql`select pg_try_advisory_lock(${EDGE_LOCK}) as held`,
      );
      if (held) this.#session = session;
      return held;
    } finally {
      if (!this.#session) session.release();
    }
  }
}
