import { AgentRuns } from './agent/agent-runs.ts';
import { settleAgentRuns } from './agent/settle-runs.ts';
import { selectCompute } from './compute/select.ts';
import type { Config } from './config.ts';
import { Consoles } from './consoles/consoles.ts';
import { registerSockets } from './consoles/routes.ts';
import { registerSharePage } from './consoles/share-page.ts';
import type { Database } from './db/database.ts';
import { migrateUp } from './db/migrate.ts';
import { ensureDemoAccount } from './domain/accounts/demo-account.ts';
import { loadCatalog } from './domain/catalog/load-catalog.ts';
import { ensureRegionPools } from './domain/network/allocate.ts';
import { selectEdge } from './edge/select.ts';
import { ENDPOINTS } from './endpoints/roster.ts';
import { createHttpServer } from './http/server.ts';
import { Node } from './jobs/adopt-jobs.ts';
import type { StepHook } from './jobs/execution.ts';
import { EdgeLeadership } from './jobs/leadership.ts';
import { JobQueue } from './jobs/queue.ts';
import { EdgeReconciler } from './jobs/reconcile-edge.ts';
import { NetworkReconciler } from './jobs/reconcile-network.ts';
import { JobRunner } from './jobs/runner.ts';
import { Schedule } from './jobs/schedule.ts';
import { backgroundTasks } from './jobs/tasks.ts';
import { watchGuests } from './jobs/watch-guests.ts';
import { registerReference } from './openapi/routes.ts';
import { registerHealth } from './operator/health.ts';
import { Readiness } from './operator/readiness.ts';
import { startOperator } from './operator/start-operator.ts';
import { Authenticator } from './platform/authentication.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { createLogger, type Logger } from './platform/logging.ts';
import { createMetrics } from './platform/metrics.ts';
import { openOpsKey } from './platform/ops-key.ts';
import { LocalLimitStore, RateLimiter, SharedLimitStore } from './platform/rate-limits.ts';
import { openSecretBox } from './platform/secrets.ts';
import { Signals } from './platform/signals.ts';
import type { Services } from './services.ts';
import { VERSION } from './version.ts';

/** What a test may put in the place of a part. */
export interface Parts {
  clock?: Clock;
  logger?: Logger;
  stepHook?: StepHook;
  /** Shown the key of the demo account, on the start that makes it, before the service listens. */
  onDemoKey?: (key: string) => void;
}

/** A running service. */
export interface Service {
  services: Services;
  /** Where the customer API listens, such as "http://127.0.0.1:8080". */
  address: string;
  /** Stops in order: no request is cut, no job is lost. */
  stop(): Promise<void>;
}

async function openServices(
  config: Config,
  db: Database,
  parts: Parts,
): Promise<Services & { queue: JobQueue }> {
  const clock = parts.clock ?? systemClock;
  const logger = parts.logger ?? createLogger(config);
  const catalog = loadCatalog(config.catalog);
  const secrets = await openSecretBox(config.secretKey, config.dataDir);
  await migrateUp(db);
  await ensureRegionPools(db, catalog);
  const opsKey = await openOpsKey(db, secrets);
  const { compute, reason } = await selectCompute({
    config,
    db,
    clock,
    logger,
    templates: catalog.templates,
    opsLogin: async () => opsKey.privateKey,
  });
  logger.info({ compute: compute.name, reason }, 'engine chosen');
  const edge = selectEdge(config, db, clock);
  const leadership = new EdgeLeadership(db);
  const queue = new JobQueue(db, (error) => logger.error({ err: error }, 'job queue'));
  await queue.prepare();
  const services = {
    config,
    catalog,
    clock,
    logger,
    metrics: createMetrics(VERSION),
    db,
    compute,
    edge,
    secrets,
    signals: new Signals(),
    queue,
    network: new NetworkReconciler({ db, compute, catalog, logger }),
    leadership,
    shield: new EdgeReconciler({ db, edge, clock, logger, leadership }),
    opsKey,
  };
  return { ...services, agent: new AgentRuns(services) };
}

/** Composes and starts the service on its state (see `state.ts`), which it closes when it stops. */
export async function startService(config: Config, db: Database, parts: Parts = {}): Promise<Service> {
  const services = await openServices(config, db, parts);
  const { clock, logger, signals, queue, network, compute, edge, shield, leadership } = services;
  const stopping = Promise.withResolvers<void>();
  const readiness = new Readiness(services);
  const authenticator = new Authenticator(db, clock);
  const limiter = createLimiter(services);
  const http = createHttpServer({
    services,
    authenticator,
    limiter,
    endpoints: ENDPOINTS,
    stopping: stopping.promise,
  });
  registerHealth(http, readiness);
  registerReference(http, ENDPOINTS);
  const consoles = new Consoles(services);
  registerSockets(http, { services, consoles, limiter });
  registerSharePage(http);

  const report = await compute.probe();
  const edgeReport = await edge.probe();
  logger.info(
    { database: db.engine, compute: compute.name, report: report.summary, edge: edgeReport.summary },
    'starting',
  );
  await signals.start(db);
  const node = new Node(db);
  await node.announce();
  services.agent.node = node.id;
  await settleAgentRuns(db, clock);
  const runner = new JobRunner(services, node.id, config.jobConcurrency, parts.stepHook);
  await queue.receive(runner);
  const schedule = new Schedule(clock, logger);
  const unwatch = watchGuests(services);

  const operator = await startOperator(services, readiness);
  const demoKey = await ensureDemoAccount(services);
  if (demoKey) parts.onDemoKey?.(demoKey);
  const address = await http.listen({ host: config.listen.host, port: config.listen.port });
  readiness.enter('running');
  logger.info({ address }, 'listening');
  // Only now: each task runs at once, and customers need not wait for housekeeping.
  schedule.start(backgroundTasks(services, { node, runner, authenticator, consoles }));

  const stop = async () => {
    readiness.enter('stopping');
    stopping.resolve();
    // An open WebSocket or stream would hold up the server's end.
    await consoles.close();
    await services.agent.stop();
    await http.close();
    await operator.close();
    unwatch();
    await schedule.stop();
    await queue.stop();
    await runner.stop();
    await network.idle();
    await shield.idle();
    await leadership.leave();
    await authenticator.flushLastUsed();
    await signals.stop();
    await node.leave();
    await compute.close();
    await edge.close();
    await db.close();
    logger.info('stopped');
  };
  return { services, address, stop: once(stop) };
}

function createLimiter({ config, db, clock }: Services): RateLimiter {
  const { rateLimitKey: key, rateLimitAccount: account, rateLimitIp: ip } = config;
  const store = db.engine === 'pglite' ? new LocalLimitStore(key) : new SharedLimitStore(db, key);
  return new RateLimiter({ key, account, ip }, store, clock);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
