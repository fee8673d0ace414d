import { randomBytes } from 'node:crypto';
import { type Database, one, type Session, sql } from '../db/database.ts';
import { confirmJob, type Ownership } from '../db/queries/service/owned-jobs.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';

/**
 * A node must be missing for this long before others take its jobs. A node that only lost its connection stops its
 * work well before that, and has usually reconnected by then (see {@link Node}).
 */
export const ABSENCE_MS = 10_000;

/** Interval at which a node makes sure that the others see it. */
export const PRESENCE_MS = 1_000;
/** A presence check may delay the next one by at most this. */
const CHECK_LIMIT_MS = 1_000;
/**
 * A node that could not confirm its presence for this long stops its work. Noticing this takes one more check
 * interval and one check limit; the sum must be less than {@link ABSENCE_MS}, after which others take its jobs.
 */
const UNCONFIRMED_MS = ABSENCE_MS / 2;

/** Thrown when this node cannot tell whether its jobs are still its own. */
export class PresenceLostError extends Error {
  override name = 'PresenceLostError';
}

type NodeParts = { db: Database; clock: Clock; logger: Logger };
type LockSession = { session: Session; backend: number };

/**
 * This process as one of the nodes. While it runs, a separate database session holds an advisory lock on its number.
 * The database drops the lock the moment the process dies or is cut off, which tells the others, without heartbeats,
 * that they may take its jobs. The same session confirms that a job is still this node's, so that a node that has
 * lost the session does nothing that another may be doing.
 */
export class Node {
  readonly id = randomBytes(8).readBigInt64BE();
  readonly #parts: NodeParts;
  readonly #onLost = new Set<() => void>();
  #lock: LockSession | undefined;
  #checking: Promise<void> | undefined;
  #confirmedAt = 0;
  #lost = false;
  /** An error has occurred on the session since the last check. */
  #doubtful = false;
  #left = false;

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  /** True if the node may take jobs: as far as it knows, the others see it. */
  get present(): boolean {
    return this.#lock !== undefined && !this.#lost && !this.#doubtful;
  }

  /**
   * Registers a listener for when this node could not confirm its presence for so long that others may take its jobs.
   */
  onLost(listener: () => void): void {
    this.#onLost.add(listener);
  }

  /** Takes the lock that shows this node's presence. */
  async announce(): Promise<void> {
    const { db } = this.#parts;
    const askedAt = this.#now();
    const session = await db.reserve();
    try {
      await endFormerSession(session, db, this.id);
      const { backend } = await one<{ backend: number }>(
        session,
        sql`select pg_backend_pid() as backend, pg_advisory_lock(${this.id}::bigint)`,
      );
      this.#lock = { session, backend };
      this.#confirmed(askedAt);
      if (this.#left) await this.leave();
    } catch (error) {
      session.discard();
      throw error;
    }
  }

  /**
   * Confirms that this node still holds its lock, and takes it again if it was lost. Returns in time even if the
   * database does not answer; never throws.
   */
  async check(): Promise<void> {
    const { logger } = this.#parts;
    if (!this.#checking) {
      const checking = this.#check()
        .catch((error) => {
          if (!this.#lost) logger.warn({ err: error }, 'presence not confirmed');
        })
        .finally(() => {
          if (this.#checking === checking) this.#checking = undefined;
        });
      this.#checking = checking;
    }
    await this.#within(CHECK_LIMIT_MS, this.#checking);
    const lost = this.#now() - this.#confirmedAt > UNCONFIRMED_MS;
    if (lost === this.#lost) return;
    this.#lost = lost;
    if (!lost) return logger.info('presence confirmed again');
    logger.error('presence lost: other nodes take over the jobs of this node');
    // A session that hangs without an error is dropped, because a new one may answer.
    this.#dropLock();
    this.#checking = undefined;
    for (const listener of this.#onLost) listener();
  }

  /**
   * Returns whether a job is still this node's and not cancelled. Throws {@link PresenceLostError} if that cannot be
   * confirmed.
   */
  async holds(job: Ownership): Promise<boolean> {
    const lock = this.#lock;
    if (!lock || this.#lost) throw new PresenceLostError('this node has lost its session');
    try {
      const { held, backend } = await confirmJob(lock.session, job);
      // A client may have replaced a broken connection: then the lock is gone although the session answers.
      if (backend === lock.backend) return held;
    } catch (error) {
      this.#doubtful = true;
      throw new PresenceLostError('the session of this node does not answer', { cause: error });
    }
    this.#doubtful = true;
    throw new PresenceLostError('the session of this node is another one');
  }

  async leave(): Promise<void> {
    this.#left = true;
    const lock = this.#lock;
    this.#lock = undefined;
    if (!lock) return;
    const { session } = lock;
    const unlocked = session.query(sql`select pg_advisory_unlock(${this.id}::bigint)`);
    await unlocked.then(
      () => session.release(),
      () => session.discard(),
    );
  }

  async #check(): Promise<void> {
    const askedAt = this.#now();
    const lock = this.#lock;
    const same = lock && (await isBackend(lock));
    // `check` may have dropped the lock in the meantime.
    if (this.#lock !== lock) return;
    if (same) return this.#confirmed(askedAt);
    this.#dropLock();
    if (lock) this.#parts.logger.warn('the session of this node was lost');
    await this.announce();
  }

  /**
   * The session may still hold the lock and will be terminated for that later, so it must not be reused for other
   * work.
   */
  #dropLock(): void {
    this.#lock?.session.discard();
    this.#lock = undefined;
  }

  #confirmed(at: number): void {
    this.#confirmedAt = at;
    this.#doubtful = false;
  }

  #now(): number {
    return this.#parts.clock.now().getTime();
  }

  async #within(ms: number, work: Promise<void>): Promise<void> {
    const over = new AbortController();
    const limit = this.#parts.clock.sleep(ms, over.signal).catch(() => {});
    await Promise.race([work.finally(() => over.abort()), limit]);
  }
}

/** Returns true if a session is still the connection that took the lock. */
async function isBackend({ session, backend }: LockSession): Promise<boolean> {
  try {
    const now = await one<{ backend: number }>(session, sql`select pg_backend_pid() as backend`);
    return now.backend === backend;
  } catch {
    return false;
  }
}

/**
 * The server may keep a broken connection and its lock until the network gives up on it, so this node's former
 * session is terminated.
 */
async function endFormerSession(session: Session, db: Database, id: bigint): Promise<void> {
  if (db.engine === 'pglite') return;
  await session.query(sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32) | objid::bigint = ${id}::bigint`);
}

/** Returns the numbers of all held advisory locks, which include those of living nodes. */
export async function presentNodes(db: Database): Promise<Set<bigint>> {
  const rows = await db.query<{ id: bigint }>(sql`
    select (classid::bigint << 32) | objid::bigint as id from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())`);
  return new Set(rows.map((row) => row.id));
}
