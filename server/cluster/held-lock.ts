import { type Database, one, type Session, sql } from '../db/database.ts';

export interface LockOptions {
  /** Shared: many may hold it at once, unless it is held exclusively. */
  shared?: boolean;
}

/**
 * An advisory lock on a number, held by a session of its own. The database drops it the moment the process dies, so
 * that another takes it without clocks or heartbeats.
 */
export class HeldLock {
  readonly #db: Database;
  readonly #number: number;
  readonly #shared: boolean;
  #session: Session | undefined;
  #asking: Promise<boolean> | undefined;

  constructor(db: Database, number: number, { shared = false }: LockOptions = {}) {
    this.#db = db;
    this.#number = number;
    this.#shared = shared;
  }

  /** Whether the lock is held now; it is from here on if it was free. */
  holds(): Promise<boolean> {
    this.#asking ??= this.#hold().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async leave(): Promise<void> {
    await this.#asking?.catch(() => {});
    const unlock = this.#shared
      ? sql`select pg_advisory_unlock_shared(${this.#number})`
      : sql`select pg_advisory_unlock(${this.#number})`;
    await this.#session?.query(unlock);
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
        this.#session.discard();
        this.#session = undefined;
      }
    }
    const session = await this.#db.reserve();
    try {
      const lock = this.#shared
        ? sql`select pg_try_advisory_lock_shared(${this.#number}) as held`
        : sql`select pg_try_advisory_lock(${this.#number}) as held`;
      const { held } = await one<{ held: boolean }>(session, lock);
      if (held) this.#session = session;
      else session.release();
      return held;
    } catch (error) {
      // It may hold the lock all the same.
      session.discard();
      throw error;
    }
  }
}
