import type { ComputeDriver } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import { CachedCheck } from './cached-check.ts';

/** Where the service is in its life; `running` means that requests and jobs are both taken. */
export type Phase = 'starting' | 'running' | 'stopping';

/** An answer about the database is good for this long: health checks cost a query a second at most. */
const DATABASE_CHECK_MS = 1_000;
/** An engine proves itself by doing something, which is too much for every request. */
const COMPUTE_CHECK_MS = 30_000;

export interface ReadinessReport {
  status: 'ready' | 'failing' | 'starting' | 'stopping';
  /** The parts that do not work, if the service is running. */
  failing: ('database' | 'compute' | 'gateway')[];
}

interface ReadinessParts {
  db: Database;
  compute: ComputeDriver;
  /** Whether this node's gateway, if it has one, may forward something else than it should. */
  forwards: { readonly isBehind: boolean };
  clock: Clock;
  logger: Logger;
}

/**
 * Whether this node should be sent requests. What starts and stops the service sets its phase:
 * `running` only once the queue receives.
 */
export class Readiness {
  #phase: Phase = 'starting';
  readonly #ending = new AbortController();
  readonly #database: CachedCheck;
  readonly #compute: CachedCheck;

  readonly #forwards: { readonly isBehind: boolean };

  constructor({ db, compute, forwards, clock, logger }: ReadinessParts) {
    this.#forwards = forwards;
    this.#database = new CachedCheck(
      clock,
      DATABASE_CHECK_MS,
      () => db.check(),
      (err) => logger.error({ err }, 'the database does not answer'),
    );
    this.#compute = new CachedCheck(
      clock,
      COMPUTE_CHECK_MS,
      async () => {
        const { ok, summary } = await compute.probe();
        if (!ok) throw new Error(summary);
      },
      (err) => logger.error({ err }, 'the compute engine does not work'),
    );
  }

  /** Aborts when the service is to stop. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  enter(phase: Phase): void {
    this.#phase = phase;
    if (phase === 'stopping') this.#ending.abort();
  }

  async report(): Promise<ReadinessReport> {
    if (this.#phase !== 'running') return { status: this.#phase, failing: [] };
    const [database, compute] = await Promise.all([this.#database.passes(), this.#compute.passes()]);
    const failing: ReadinessReport['failing'] = [];
    if (!database) failing.push('database');
    if (!compute) failing.push('compute');
    if (this.#forwards.isBehind) failing.push('gateway');
    return { status: failing.length === 0 ? 'ready' : 'failing', failing };
  }
}
