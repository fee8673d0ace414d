import { randomBytes } from 'node:crypto';
import { type Database, one, type Session, sql } from '../db/database.ts';
import { confirmJob, type Ownership } from '../db/queries/owned-jobs.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';

/**
 * How long a node must have been missing before its jobs are taken: one that has only lost its connection stops its
 * work well before, and mostly is back by then (see {@link Node}).
 */
export const ABSENCE_MS = 10_000;

/** How often a node makes sure that the others see it. */
export const PRESENCE_MS = 1_000;
/** How long one such check may hold up the next. */
const CHECK_LIMIT_MS = 1_000;
/**
 * A node that could not confirm its presence for this long stops what it does. Noticing takes a check, and one of two
 * limits, longer: all of that must be less than {@link ABSENCE_MS}, after which others take its jobs.
 */
const UNCONFIRMED_MS = ABSENCE_MS / 2;

/** This node cannot tell whether its jobs are still its own. */
export class PresenceLostError extends Error {
  override name = 'PresenceLostError';
}

type NodeParts = { db: Database; clock: Clock; logger: Logger };
type LockSession = { session: Session; backend: number };

/**
 * This process among the nodes. While it lives, a session of its own holds an advisory lock on its number, which the
 * database drops the moment the process dies or is cut off: that is how the others know, without heartbeats, that its
 * jobs are free to be taken up. The same session answers whether a job is still this node's, so that a node which has
 * lost it does nothing that another may be doing.
 */
export class Node {
  readonly id = randomBytes(8).readBigInt64BE();
  readonly #parts: NodeParts;
  readonly #onLost = new Set<() => void>();
  #lock: LockSession | undefined;
  #checking: Promise<void> | undefined;
  #confirmedAt = 0;
  #lost = false;
  /** Something has gone wrong on the session since the last check. */
  #doubtful = false;
  #left = false;

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  /** Whether it may take jobs: as far as it knows the others see it. */
  get present(): boolean {
    return this.#lock !== undefined && !this.#lost && !this.#doubtful;
  }

  /** Called when this node could not confirm its presence for so long that others may take its jobs. */
  onLost(listener: () => void): void {
    this.#onLost.add(listener);
  }

  /** Takes the lock. */
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
   * Confirms that this node still holds its lock, and takes it again if it was lost. Returns in time even when the
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
    logger.error('presence lost: this node leaves its jobs to the others');
    // Where the session does not even fail, another one may answer.
    this.#dropLock();
    this.#checking = undefined;
    for (const listener of this.#onLost) listener();
  }

  /**
   * Whether a job is still this node's and not cancelled; throws {@link PresenceLostError} where that cannot be
   * confirmed.
   */
  async holds(job: Ownership): Promise<boolean> {
    const lock = this.#lock;
    if (!lock || this.#lost) throw new PresenceLostError('this node has lost its session');
    try {
      const { held, backend } = await confirmJob(lock.session, job);
      // A client may have replaced a broken connection: then the lock is gone, although the session answers.
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
    // Meanwhile it may have been given up, see `check`.
    if (this.#lock !== lock) return;
    if (same) return this.#confirmed(askedAt);
    this.#dropLock();
    if (lock) this.#parts.logger.warn('the session of this node was lost');
    await this.announce();
  }

  /** The session may still hold the lock, and is ended for that later: it must carry nothing of others by then. */
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

  /** Waits for `work`, but not longer than this. */
  async #within(ms: number, work: Promise<void>): Promise<void> {
    const over = new AbortController();
    const limit = this.#parts.clock.sleep(ms, over.signal).catch(() => {});
    await Promise.race([work.finally(() => over.abort()), limit]);
  }
}

/** Whether a session is still the connection that took the lock. */
async function isBackend({ session, backend }: LockSession): Promise<boolean> {
  try {
    const now = await one<{ backend: number }>(session, sql`select pg_backend_pid() as backend`);
    return now.backend === backend;
  } catch {
    return false;
  }
}

/** A connection that was cut off may live on at the server, lock and all, until the network gives it up. */
async function endFormerSession(session: Session, db: Database, id: bigint): Promise<void> {
  if (db.engine === 'pglite') return;
  await session.query(sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32) | objid::bigint = ${id}::bigint`);
}

/** Numbers of held advisory locks; those of living nodes are among them. */
export async function presentNodes(db: Database): Promise<Set<bigint>> {
  const rows = await db.query<{ id: bigint }>(sql`
    select (classid::bigint << 32) | objid::bigint as id from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())`);
  return new Set(rows.map((row) => row.id));
}
