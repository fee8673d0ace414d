import { type Database, one, type Session, sql } from '../db/database.ts';

export interface LockOptions {
  /** Lets several holders share the lock. An exclusive holder excludes all of them. */
  shared?: boolean;
}

/**
 * An advisory lock on a number, held by a separate database session. The database drops it the moment the process
 * dies, so another process can take it without clocks or heartbeats.
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

  /** Returns true if the lock is held now. Takes it if it is free. */
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
      // The session may hold the lock despite the error.
      session.discard();
      throw error;
    }
  }
}
