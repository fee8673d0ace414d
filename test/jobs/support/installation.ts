import type { FastifyInstance } from 'fastify';
import { AgentRuns } from '../../../server/agent/agent-runs.ts';
import { createSimulator, type SimulatorOptions } from '../../../server/compute/simulator/simulator.ts';
import { loadConfig } from '../../../server/config.ts';
import { type Database, sql, type Transaction } from '../../../server/db/database.ts';
import { ensureRegionPools } from '../../../server/domain/network/allocate.ts';
import { createEdgeSimulator, type EdgeSimulatorOptions } from '../../../server/edge/simulator/simulator.ts';
import { ENDPOINTS } from '../../../server/endpoints/roster.ts';
import { createHttpServer } from '../../../server/http/server.ts';
import { adoptJobs, Node } from '../../../server/jobs/adopt-jobs.ts';
import type { StepHook } from '../../../server/jobs/execution.ts';
import { EdgeLeadership } from '../../../server/jobs/leadership.ts';
import type { JobOutlet } from '../../../server/jobs/queue.ts';
import { EdgeReconciler } from '../../../server/jobs/reconcile-edge.ts';
import { NetworkReconciler } from '../../../server/jobs/reconcile-network.ts';
import { JobRunner } from '../../../server/jobs/runner.ts';
import { Authenticator } from '../../../server/platform/authentication.ts';
import { ManualClock } from '../../../server/platform/clock.ts';
import { createLogger, type Logger } from '../../../server/platform/logging.ts';
import { createMetrics } from '../../../server/platform/metrics.ts';
import { openOpsKey } from '../../../server/platform/ops-key.ts';
import { LocalLimitStore, RateLimiter } from '../../../server/platform/rate-limits.ts';
import { SecretBox } from '../../../server/platform/secrets.ts';
import { Signals } from '../../../server/platform/signals.ts';
import type { Services } from '../../../server/services.ts';
import { catalog } from '../../billing/support.ts';

/** More requests than a minute of a clock that may stand still will see. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const SECOND_MS = 1000;

/** Hands the id of a job over when the transaction that wrote it has committed; nothing is kept anywhere. */
class DirectOutlet implements JobOutlet {
  deliver: (jobId: string) => void = () => {};

  async send(tx: Transaction, jobId: string): Promise<void> {
    tx.afterCommit(() => this.deliver(jobId));
  }
}

/** The service's parts in this process, on a clock that the test owns. Nothing runs by itself. */
export interface Installation {
  services: Services & { clock: ManualClock };
  /** The customer API behind its whole pipeline; not listening. */
  http: FastifyInstance;
  /** Told of each new job once it is committed. */
  outlet: DirectOutlet;
  /** One more node that runs jobs. */
  openNode(hook?: StepHook): Promise<TestNode>;
  /** Stops every node and lets go of the parts, not of the database. */
  close(): Promise<void>;
}

/** A node of the installation. */
export interface TestNode {
  runner: JobRunner;
  /** Interrupts what it runs and leaves. */
  stop(): Promise<void>;
}

export interface InstallationOptions {
  clock?: ManualClock;
  logger?: Logger;
  /** Settings of the service, as its environment would have them. */
  env?: Record<string, string>;
  /** Of the simulated engine: instantaneous unless told otherwise. */
  simulator?: Partial<SimulatorOptions>;
  edge?: Partial<EdgeSimulatorOptions>;
}

async function openServices(
  db: Database,
  outlet: JobOutlet,
  { clock = new ManualClock(), logger, simulator, env = {}, edge: edgeOptions }: InstallationOptions,
): Promise<Installation['services']> {
  await ensureRegionPools(db, catalog);
  const silent = logger ?? createLogger({ logLevel: 'silent' });
  const compute = createSimulator({ db, clock, bootSeconds: 0, shutdownSeconds: 0, ...simulator });
  const sold = structuredClone(catalog);
  const network = new NetworkReconciler({ db, compute, catalog: sold, logger: silent });
  const edge = createEdgeSimulator({ db, clock, ...edgeOptions });
  const leadership = new EdgeLeadership(db);
  const signals = new Signals();
  await signals.start(db);
  const secrets = new SecretBox(Buffer.alloc(32, 1));
  const services = {
    config: loadConfig(env),
    catalog: sold,
    clock,
    logger: silent,
    metrics: createMetrics('test'),
    db,
    compute,
    edge,
    secrets,
    signals,
    queue: outlet,
    network,
    leadership,
    shield: new EdgeReconciler({ db, edge, clock, logger: silent, leadership }),
    opsKey: await openOpsKey(db, secrets),
  };
  return { ...services, agent: new AgentRuns(services) };
}

/** Composes the service on a migrated database, which is the caller's. */
export async function openInstallation(
  db: Database,
  options: InstallationOptions = {},
): Promise<Installation> {
  const outlet = new DirectOutlet();
  const services = await openServices(db, outlet, options);
  const { clock, compute, network, signals, shield, leadership } = services;
  const http = createHttpServer({
    services,
    authenticator: new Authenticator(db, clock),
    limiter: new RateLimiter(
      { key: NO_LIMIT, account: NO_LIMIT, ip: NO_LIMIT },
      new LocalLimitStore(NO_LIMIT),
      clock,
    ),
    endpoints: ENDPOINTS,
    stopping: new Promise(() => {}),
  });
  const nodes = new Set<TestNode>();
  const openNode = async (hook?: StepHook) => {
    const node = new Node(db);
    await node.announce();
    const runner = new JobRunner(services, node.id, services.config.jobConcurrency, hook);
    const stop = async () => {
      await runner.stop();
      await node.leave();
      nodes.delete(opened);
    };
    const opened = { runner, stop };
    nodes.add(opened);
    return opened;
  };
  const close = async () => {
    await http.close();
    for (const node of nodes) await node.stop();
    await network.idle();
    await shield.idle();
    await leadership.leave();
    await signals.stop();
    await compute.close();
  };
  return { services, http, outlet, openNode, close };
}

/** Ids of jobs that have not ended, oldest first. */
export async function unfinishedJobs(db: Database): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select id from jobs where status in ('pending', 'running') order by id`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Lets `node` run every job to its end, those of nodes that are gone and those to be tried again included.
 * Time passes, a second a round, as far as something waits for it; also while a delivery waits for room on the
 * node, as what fills the node may be jobs that wait for time.
 */
export async function runJobs({ services }: Installation, { runner }: TestNode): Promise<void> {
  const { db, clock } = services;
  let adopting: Promise<void> | undefined;
  while ((await unfinishedJobs(db)).length > 0) {
    adopting ??= adoptJobs(db, (jobId) => runner.deliver(jobId)).finally(() => {
      adopting = undefined;
    });
    if (clock.sleeping > 0) clock.advance(SECOND_MS);
  }
  await adopting;
}
