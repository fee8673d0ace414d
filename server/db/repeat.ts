import type { Clock } from '../platform/clock.ts';
import { jitter } from '../platform/jitter.ts';
import type { Database } from './database.ts';

/**
 * Errors, by SQLSTATE, after which the database has undone everything because of other sessions, so it may be tried
 * again.
 */
const CONFLICTS = { '40P01': 'deadlock', '40001': 'serialization_failure' } as const;
/** For `outdated_statement` see {@link isOutdated}. */
export type Conflict = (typeof CONFLICTS)[keyof typeof CONFLICTS] | 'outdated_statement';

/** Number of tries in all. A deadlock takes a second to be detected, so this many take longer than any caller waits. */
const ATTEMPTS = 4;
/** Longest pause before the second try, in milliseconds; it doubles with each try. */
const PAUSE_MS = 20;

interface Parts {
  clock: Clock;
  /** Called for each failure, including that of the last try. */
  onConflict: (conflict: Conflict) => void;
}

function conflictOf(error: unknown): Conflict | undefined {
  if (isOutdated(error)) return 'outdated_statement';
  const code = (error as { code?: unknown } | null)?.code;
  return CONFLICTS[code as keyof typeof CONFLICTS];
}

/**
 * Returns whether a prepared statement was refused because its tables have changed, for example by a node of the next
 * release that adds a column, or because a proxy between us and the server dropped it. Once prepared again, it runs.
 */
export function isOutdated(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  return code === '26000' || (code === '0A000' && (message ?? '').includes('cached plan'));
}

/**
 * Returns a database that retries after a {@link Conflict}, a few times and after a pause. So the `work` of a
 * transaction may run more than once: it must change nothing but the database, and leave everything else to
 * `afterCommit`, whose callbacks are collected again for each try.
 */
export function repeatingConflicts(db: Database, { clock, onConflict }: Parts): Database {
  async function persist<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        const conflict = conflictOf(error);
        if (!conflict) throw error;
        onConflict(conflict);
        if (tries === ATTEMPTS) throw error;
        await clock.sleep(jitter(PAUSE_MS * 2 ** tries));
      }
    }
  }
  return {
    engine: db.engine,
    query: (statement) => persist(() => db.query(statement)),
    transaction: (work) => persist(() => db.transaction(work)),
    batch: (statements) => persist(() => db.batch(statements)),
    reserve: () => db.reserve(),
    script: (text, options) => db.script(text, options),
    listen: (channel, listener, onGap) => db.listen(channel, listener, onGap),
    check: () => db.check(),
    close: () => db.close(),
  };
}
