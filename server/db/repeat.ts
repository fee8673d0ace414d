import type { Clock } from '../platform/clock.ts';
import { jitter } from '../platform/jitter.ts';
import type { Database } from './database.ts';

/**
 * What the database ends, undone as a whole, because of others: it may be asked again. By SQLSTATE, where that alone
 * says so.
 */
const CONFLICTS = { '40P01': 'deadlock', '40001': 'serialization_failure' } as const;
/** Of a statement see {@link isOutdated}. */
export type Conflict = (typeof CONFLICTS)[keyof typeof CONFLICTS] | 'outdated_statement';

/** Tries in all. A deadlock comes after a second of waiting, so this many take longer than any caller waits. */
const ATTEMPTS = 4;
/** Longest pause before the second try; it doubles with each. */
const PAUSE_MS = 20;

interface Parts {
  clock: Clock;
  /** Called with each failure, whether or not it is the last try. */
  onConflict: (conflict: Conflict) => void;
}

function conflictOf(error: unknown): Conflict | undefined {
  if (isOutdated(error)) return 'outdated_statement';
  const code = (error as { code?: unknown } | null)?.code;
  return CONFLICTS[code as keyof typeof CONFLICTS];
}

/**
 * Whether a prepared statement was refused because its tables have changed since, as when a node of the next release adds a
 * column, or because something between us and the server has dropped it. Prepared anew, it runs.
 */
export function isOutdated(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  return code === '26000' || (code === '0A000' && (message ?? '').includes('cached plan'));
}

/**
 * The same database, which tries again what was ended by a {@link Conflict}, some times and after a pause. So the `work` of a transaction may run more than once: it changes nothing but the database, and leaves
 * everything else to `afterCommit`, whose callbacks are collected again for each try.
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
