import { Authenticator } from '../access/authentication.ts';
import { LocalLimitStore, RateLimiter } from '../access/rate-limits.ts';
import { SharedLimitStore } from '../access/shared-limits.ts';
import { AgentRuns } from '../agent/agent-runs.ts';
import { reapOrphanedRuns } from '../agent/reap-orphaned-runs.ts';
import { EngineClaim } from '../cluster/engine-claim.ts';
import { HostWatch } from '../cluster/host-watch.ts';
import { Leadership } from '../cluster/leadership.ts';
import { Node } from '../cluster/membership.ts';
import { withOwnershipCheck } from '../compute/ownership-check.ts';
import { selectCompute, simulatedHosts } from '../compute/select.ts';
import { loadBrand } from '../config/brand.ts';
import type { Config } from '../config/config.ts';
import { isOperatorPanelOn } from '../config/panel-problems.ts';
import { SETTINGS } from '../config/settings.ts';
import { Consoles } from '../consoles/consoles.ts';
import { registerSockets } from '../consoles/routes.ts';
import { registerSharePage } from '../consoles/share-page.ts';
import { type Database, DatabaseAwayError } from '../db/database.ts';
import { type BusyTry, migrateUp } from '../db/migrate.ts';
import { RecordedClusters } from '../db/queries/hosts/clusters.ts';
import { SimulatorTargets } from '../db/queries/hosts/simulator-edge.ts';
import { SimulatorGuests } from '../db/queries/hosts/simulator-guests.ts';
import { countProtected } from '../db/queries/shield/shield-targets.ts';
import { countForwards } from '../db/queries/vms/forwards.ts';
import { repeatingConflicts } from '../db/repeat.ts';
import { Signals } from '../db/signals.ts';
import { loadLook } from '../documents/look.ts';
import { DocumentRenderer } from '../documents/renderer.ts';
import { type DemoAccess, ensureDemoAccount } from '../domain/accounts/demo-account.ts';
import { requireExponent } from '../domain/billing/books-exponent.ts';
import { firstZone, loadCatalog, requireCurrency, requireZones } from '../domain/catalog/load-catalog.ts';
import { ensureRegionPools } from '../domain/network/allocate.ts';
import { selectEdge } from '../edge/select.ts';
import { ENDPOINTS } from '../endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../endpoints/operator/index.ts';
import { selectGateway } from '../gateway/select.ts';
import { OpsKeys } from '../guest-ssh/ops-keys.ts';
import { browserUrl } from '../http/base-url.ts';
import { registerDocsSite } from '../http/docs-site/docs-site.ts';
import { registerDescription } from '../http/openapi/routes.ts';
import { registerHealth } from '../http/operator/health.ts';
import { isLocal } from '../http/operator/local-caller.ts';
import { Readiness } from '../http/operator/readiness.ts';
import { startOperator } from '../http/operator/start-operator.ts';
import { registerLogo } from '../http/panel-site/logo.ts';
import { registerPanelSite } from '../http/panel-site/panel-site.ts';
import { createHttpServer } from '../http/server.ts';
import type { StepHook } from '../jobs/execution.ts';
import { JobQueue } from '../jobs/queue.ts';
import { ForwardReconciler } from '../jobs/reconcilers/reconcile-forwards.ts';
import { GuestReconciler } from '../jobs/reconcilers/reconcile-guests.ts';
import { NetworkReconciler } from '../jobs/reconcilers/reconcile-network.ts';
import { watchGuests } from '../jobs/reconcilers/watch-guests.ts';
import { JobRunner } from '../jobs/runner.ts';
import { attachDocuments } from '../mail/attachments.ts';
import { MailSender, type SenderParts } from '../mail/sender.ts';
import { Payments } from '../payments/payments.ts';
import { registerWebhooks } from '../payments/webhook-routes.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { Failures } from '../platform/failures.ts';
import { listenOn } from '../platform/listen.ts';
import { createLogger, type Logger } from '../platform/logging.ts';
import { createMetrics } from '../platform/metrics.ts';
import { Schedule } from '../platform/schedule.ts';
import { openSecretBox } from '../platform/secrets.ts';
import { VERSION } from '../platform/version.ts';
import { EdgeReconciler } from '../shield/reconcile-edge.ts';
import { backgroundTasks } from './background-tasks.ts';
import { mountsOf, nearOperators } from './mounts.ts';
import type { Services } from './services.ts';
import { logStart, warnOfLook, warnOfPretence } from './start-log.ts';

/** Parts that a test may replace. */
export interface Parts {
  clock?: Clock;
  logger?: Logger;
  stepHook?: StepHook;
  /** Called with the demo account's credentials, at the start that creates it. */
  onDemo?: (access: DemoAccess) => void;
}

export interface Service {
  services: Services;
  /** URL of the customer API, such as "http://127.0.0.1:8080". */
  address: string;
  /** Shuts down in order: keeps serving while it is drained, and then cuts no request and loses no job. */
  stop(): Promise<void>;
}

async function openServices(
  config: Config,
  state: Database,
  parts: Parts,
): Promise<Services & { queue: JobQueue; claim: EngineClaim }> {
  const brand = loadBrand(config);
  const clock = parts.clock ?? systemClock;
  const metrics = createMetrics(VERSION);
  const db = repeatingConflicts(state, { clock, onConflict: (which) => metrics.databaseConflict(which) });
  const logger = parts.logger ?? createLogger(config);
  const catalog = loadCatalog(config.catalog);
  requireZones(catalog, config.zones ?? [], SETTINGS.zones.env);
  const simulated = simulatedHosts(config).flatMap(({ zones = [] }) => zones);
  requireZones(catalog, simulated, SETTINGS.simulatorHosts.env);
  const secrets = await openSecretBox(config);
  const onBusy = (attempt: BusyTry) => logger.warn(attempt, 'a migration waits for a locked table');
  await migrateUp(db, { clock, onBusy });
  await requireCurrency(db, catalog);
  await requireExponent(db, catalog, logger);
  await ensureRegionPools(db, catalog);
  const opsKeys = await OpsKeys.open(db, secrets);
  const { compute: driver, reason } = await selectCompute({
    config,
    simulatorStore: new SimulatorGuests(db),
    clusterStore: new RecordedClusters(db),
    clock,
    logger,
    templates: catalog.templates,
    regions: catalog.regions,
    firstZone: firstZone(catalog),
    opsLogin: (id) => opsKeys.offeredTo(id),
  });
  const claim = await EngineClaim.take({ db, clock, compute: driver, reason });
  const compute = withOwnershipCheck(driver, () => claim.refusal);
  logger.info({ compute: compute.name, reason }, 'engine chosen');
  warnOfPretence({ config, compute, catalog, logger });
  const edge = await selectEdge(config, {
    clock,
    logger,
    simulatorStore: new SimulatorTargets(db),
    countProtected: () => countProtected(db),
  });
  const gateway = await selectGateway(config, {
    regions: catalog.regions,
    engineForwards: compute.capabilities().portForwards,
    countForwards: () => countForwards(db),
  });
  const signals = new Signals();
  const forwards = new ForwardReconciler({ db, gateway, signals, clock, logger });
  const leadership = new Leadership(db);
  const queue = new JobQueue(db);
  const site = { panelUrl: '/panel', operatorUrl: '/operator' };
  const papers = await openPapers({ config, brand, catalog, site, db, clock, logger, metrics, secrets });
  const services = {
    config,
    brand,
    site,
    catalog,
    clock,
    logger,
    metrics,
    db,
    compute,
    engine: claim.engine,
    edge,
    secrets,
    signals,
    queue,
    gateway,
    forwards,
    network: new NetworkReconciler({ db, compute, forwards, catalog, logger }),
    leadership,
    shield: new EdgeReconciler({ db, edge, clock, logger, leadership }),
    opsKeys,
    payments: new Payments(config, brand.name, site),
    ...papers,
  };
  const guests = new GuestReconciler(services);
  return { ...services, claim, guests, agent: new AgentRuns(services) };
}

async function openPapers(
  parts: Omit<SenderParts, 'attach'> & Pick<Services, 'config' | 'brand' | 'catalog'>,
) {
  const { config, brand, catalog, db, clock, logger } = parts;
  const look = await loadLook(config, brand);
  await warnOfLook({ brand, catalog, look, logger });
  const documents = new DocumentRenderer({ clock, logger, look });
  return { documents, mails: new MailSender({ ...parts, attach: attachDocuments({ db, documents }) }) };
}

/** Composes and starts the service on its state (see `state.ts`), which it closes when it stops. */
export async function startService(config: Config, state: Database, parts: Parts = {}): Promise<Service> {
  const services = await openServices(config, state, parts);
  const { db, clock, logger, signals, queue, network, forwards, gateway } = services;
  const { compute, claim, edge, shield, leadership } = services;
  const stopping = new AbortController();
  const readiness = new Readiness(services);
  const authenticator = new Authenticator(db, clock, services.secrets);
  const limiter = createLimiter(services);
  const http = createHttpServer({
    services,
    limiter,
    mounts: mountsOf(services, { authenticator, limiter }),
    draining: readiness.ending,
    stopping: stopping.signal,
  });
  registerHealth(http, readiness, isLocal);
  registerPages(http, services);
  const consoles = new Consoles(services);
  registerSockets(http, { services, consoles, limiter });

  await logStart(services);
  await signals.start(db);
  const node = new Node(services);
  await node.announce();
  services.agent.node = node.id;
  await reapOrphanedRuns(services);
  const runner = new JobRunner(services, node, { concurrency: config.jobConcurrency, hook: parts.stepHook });
  const schedule = new Schedule(clock, new Failures(services));

  // Before anything is sold, because orphans may use addresses.
  const hosts = await meetGuests(services);
  // Listens before it takes a job or creates the demo key, which is shown only once: a port in use must lose neither.
  const operator = await startOperator(services, readiness, OPERATOR_ENDPOINTS);
  const address = await listenOn(http, SETTINGS.listen.env, config.listen);
  const base = browserUrl(config, address);
  Object.assign(services.site, { panelUrl: `${base}/panel`, operatorUrl: `${base}/operator` });
  await queue.receive(runner);
  const unwatch = watchGuests(services);
  const demo = await ensureDemoAccount({ ...services, hasOperatorPages: isOperatorPanelOn(config) });
  if (demo) parts.onDemo?.(demo);
  readiness.enter('running');
  logger.info({ address, panel: services.site.panelUrl }, 'listening');
  // Last, because every task runs at once and customers should not have to wait for housekeeping.
  schedule.start(backgroundTasks(services, { node, claim, hosts, runner, authenticator, consoles }));

  const stop = async () => {
    readiness.enter('stopping');
    await clock.sleep(config.drainSeconds * 1000);
    stopping.abort();
    await inOrder(logger, [
      // An open WebSocket or stream would delay the server's close.
      () => consoles.close(),
      () => Promise.all([services.agent.stop(), services.documents.close(), services.mails.close()]),
      () => Promise.all([http.close(), operator.close()]),
      async () => unwatch(),
      () => schedule.stop(),
      () => queue.stop(),
      () => runner.stop(),
      // A network change that is in progress ends by applying its forwards.
      () => Promise.all([network.idle().then(() => forwards.stop()), services.guests.stop(), shield.stop()]),
      () => leadership.leave(),
      () => authenticator.flushLastUsed(),
      () => signals.stop(),
      () => node.leave(),
      () => compute.close(),
      () => claim.leave(),
      () => edge.close(),
      () => gateway.close(),
      () => db.close(),
    ]);
    logger.info('stopped');
  };
  return { services, address, stop: once(stop) };
}

/** Reads the guests from the engine and sends the gateway its forwards; if either fails, it is done later. */
async function meetGuests(services: Services): Promise<HostWatch> {
  const hosts = new HostWatch(services);
  const failures = new Failures(services);
  await failures.attempt('watch_hosts', () => hosts.run());
  await failures.attempt('reconcile_guests', () => services.guests.run());
  await failures.attempt('reconcile_forwards', () => services.forwards.apply());
  return hosts;
}

/**
 * Registers routes that are not endpoints: the API's description and documentation, the control panel, the page of
 * share links, and payment webhooks.
 */
function registerPages(http: ReturnType<typeof createHttpServer>, services: Services): void {
  const { config, logger, brand } = services;
  registerWebhooks(http, services);
  registerDescription(http, { config, endpoints: ENDPOINTS });
  registerDocsSite(http, services);
  registerPanelSite(http, logger, isOperatorPanelOn(config) ? { isNear: nearOperators(config) } : undefined);
  registerLogo(http, brand);
  registerSharePage(http);
}

function createLimiter({ config, db, clock }: Services): RateLimiter {
  const { rateLimitKey: key, rateLimitAccount: account, rateLimitIp: ip, rateLimitOpen: open } = config;
  const store = db.engine === 'pglite' ? new LocalLimitStore(key) : new SharedLimitStore(db, key);
  return new RateLimiter({ key, account, ip, open }, store, clock);
}

/**
 * Ends every part, even if another one throws. Failures because the database cannot be reached are not errors: its sessions end
 * with their connections, and the next start handles the rest.
 */
async function inOrder(logger: Logger, ends: (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const end of ends) {
    try {
      await end();
    } catch (error) {
      if (error instanceof DatabaseAwayError)
        logger.warn({ reason: error.message }, 'stopping without the database');
      else errors.push(error);
    }
  }
  if (errors.length > 0)
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'the stop failed');
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
