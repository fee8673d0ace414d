import type { ComputeDriver } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import { requireMigrations } from '../../db/migrate.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import { VERSION } from '../../platform/version.ts';
import { CachedCheck } from './cached-check.ts';

/** Phase of the service; `running` means that it accepts both requests and jobs. */
export type Phase = 'starting' | 'running' | 'stopping';

/** The database's answer is cached for this long, so health checks cost at most one query per second. */
const DATABASE_CHECK_MS = 1_000;
/**
 * Migrations only disappear by manual intervention, and an engine's check actually does something: too expensive for
 * every request.
 */
const SLOW_CHECK_MS = 30_000;

/** The parts without which a node cannot serve, in the order in which they are listed. */
const SERVING_PARTS = ['database', 'migrations', 'gateway'] as const;
type ServingPart = (typeof SERVING_PARTS)[number];

export interface ReadinessReport {
  status: 'ready' | 'failing' | 'starting' | 'stopping';
  /** Failing parts without which this node cannot serve; empty unless the service is running. */
  failing: ServingPart[];
}

/** `off`: this node has no such part. `unknown`: the part cannot be checked because another one fails. */
export type PartState = 'ok' | 'failing' | 'off' | 'unknown';

export interface DetailedReport extends ReadinessReport {
  version: string;
  parts: Record<ServingPart | 'compute', PartState> & { process: Phase };
}

interface ReadinessParts {
  db: Database;
  compute: ComputeDriver;
  /** `isHere`: this node is a gateway. `isBehind`: its forwards may differ from the wanted ones. */
  forwards: { readonly isHere: boolean; readonly isBehind: boolean };
  clock: Clock;
  logger: Logger;
}

/**
 * Decides whether this node should receive requests. The compute engine does not count: without it a node still answers
 * reads, and otherwise all nodes would be taken out with it. The code that starts and stops the service sets the phase:
 * `running` only once the queue receives.
 */
export class Readiness {
  #phase: Phase = 'starting';
  readonly #ending = new AbortController();
  readonly #database: CachedCheck;
  readonly #migrations: CachedCheck;
  readonly #compute: CachedCheck;
  readonly #forwards: ReadinessParts['forwards'];

  constructor({ db, compute, forwards, clock, logger }: ReadinessParts) {
    this.#forwards = forwards;
    const failed = (what: string) => (err: unknown) => logger.error({ err }, what);
    const asked = async () => {
      const { ok, summary } = await compute.probe();
      if (!ok) throw new Error(summary);
    };
    this.#database = new CachedCheck(
      clock,
      DATABASE_CHECK_MS,
      () => db.check(),
      failed('the database does not answer'),
    );
    this.#migrations = new CachedCheck(
      clock,
      SLOW_CHECK_MS,
      () => requireMigrations(db),
      failed('migrations of this release are missing in the database'),
    );
    this.#compute = new CachedCheck(clock, SLOW_CHECK_MS, asked, failed('the compute engine does not work'));
  }

  /** Aborts when the service begins to stop. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  enter(phase: Phase): void {
    this.#phase = phase;
    if (phase === 'stopping') this.#ending.abort();
  }

  async report(): Promise<ReadinessReport> {
    return this.#phase === 'running' ? this.#judge(await this.#serving()) : this.#judge();
  }

  /** Returns the report with the state of every part, even while the service starts or stops. */
  async detailedReport(): Promise<DetailedReport> {
    const [serving, compute] = await Promise.all([this.#serving(), this.#compute.passes()]);
    const parts = { process: this.#phase, ...serving, compute: stateOf(compute) };
    return { ...this.#judge(serving), version: VERSION, parts };
  }

  #judge(parts: Partial<Record<ServingPart, PartState>> = {}): ReadinessReport {
    if (this.#phase !== 'running') return { status: this.#phase, failing: [] };
    const failing = SERVING_PARTS.filter((name) => parts[name] === 'failing');
    return { status: failing.length === 0 ? 'ready' : 'failing', failing };
  }

  async #serving(): Promise<Record<ServingPart, PartState>> {
    const { isHere, isBehind } = this.#forwards;
    const database = await this.#database.passes();
    return {
      database: stateOf(database),
      migrations: database ? stateOf(await this.#migrations.passes()) : 'unknown',
      gateway: isHere ? stateOf(!isBehind) : 'off',
    };
  }
}

const stateOf = (works: boolean): PartState => (works ? 'ok' : 'failing');
