import type { FastifyInstance } from 'fastify';
import { Authenticator } from '../../../server/access/authentication.ts';
import { LocalLimitStore, RateLimiter } from '../../../server/access/rate-limits.ts';
import { AgentRuns } from '../../../server/agent/agent-runs.ts';
import { HostWatch } from '../../../server/cluster/host-watch.ts';
import { Leadership } from '../../../server/cluster/leadership.ts';
import { Node } from '../../../server/cluster/membership.ts';
import type { ComputeDriver } from '../../../server/compute/driver.ts';
import { createSimulator, type SimulatorOptions } from '../../../server/compute/simulator/simulator.ts';
import { loadBrand } from '../../../server/config/brand.ts';
import { loadConfig } from '../../../server/config/config.ts';
import { type Database, sql, type Transaction } from '../../../server/db/database.ts';
import { SimulatorTargets } from '../../../server/db/queries/hosts/simulator-edge.ts';
import { SimulatorGuests } from '../../../server/db/queries/hosts/simulator-guests.ts';
import { Signals } from '../../../server/db/signals.ts';
import { DocumentRenderer } from '../../../server/documents/renderer.ts';
import { ensureRegionPools } from '../../../server/domain/network/allocate.ts';
import type { JobPublisher } from '../../../server/domain/vms/job-publisher.ts';
import { createEdgeSimulator, type EdgeSimulatorOptions } from '../../../server/edge/simulator/simulator.ts';
import { ENDPOINTS } from '../../../server/endpoints/customer/index.ts';
import { createAbsentGateway } from '../../../server/gateway/absent.ts';
import type { GatewayDriver } from '../../../server/gateway/driver.ts';
import { OpsKeys } from '../../../server/guest-ssh/ops-keys.ts';
import { KeyMount } from '../../../server/http/key-mount.ts';
import { createHttpServer } from '../../../server/http/server.ts';
import type { StepHook } from '../../../server/jobs/execution.ts';
import { ForwardReconciler } from '../../../server/jobs/reconcilers/reconcile-forwards.ts';
import { GuestReconciler } from '../../../server/jobs/reconcilers/reconcile-guests.ts';
import { NetworkReconciler } from '../../../server/jobs/reconcilers/reconcile-network.ts';
import { OrphanedJobRecovery } from '../../../server/jobs/recover-orphaned-jobs.ts';
import { JobRunner } from '../../../server/jobs/runner.ts';
import { MailSender } from '../../../server/mail/sender.ts';
import { Payments } from '../../../server/payments/payments.ts';
import { registerWebhooks } from '../../../server/payments/webhook-routes.ts';
import { ManualClock } from '../../../server/platform/clock.ts';
import { createLogger, type Logger } from '../../../server/platform/logging.ts';
import { createMetrics } from '../../../server/platform/metrics.ts';
import { SecretBox } from '../../../server/platform/secrets.ts';
import { EdgeReconciler } from '../../../server/shield/reconcile-edge.ts';
import type { Services } from '../../../server/start/services.ts';
import { catalog } from '../../billing/support.ts';

/** More requests than arrive in a minute of a clock that may stand still. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const SECOND_MS = 1000;

/** Calls `deliver` when a transaction that wrote a job has committed. */
class DirectOutlet implements JobPublisher {
  deliver: () => void = () => {};

  async announce(tx: Transaction): Promise<void> {
    tx.afterCommit(() => this.deliver());
  }
}

/** The service's parts in this process, on a clock that the test controls. Nothing runs automatically. */
export interface Installation {
  services: Services & { clock: ManualClock };
  /** The customer API with its complete pipeline; not listening. */
  http: FastifyInstance;
  /** Notified of each new job after its commit. */
  outlet: DirectOutlet;
  openNode(hook?: StepHook): Promise<TestNode>;
  /** Stops every node and releases the parts, except for the database. */
  close(): Promise<void>;
}

export interface TestNode {
  node: Node;
  runner: JobRunner;
  adoption: OrphanedJobRecovery;
  /** Interrupts its jobs and leaves the installation. */
  stop(): Promise<void>;
}

export interface InstallationOptions {
  clock?: ManualClock;
  logger?: Logger;
  env?: Record<string, string>;
  /** Options of the simulated engine: instantaneous by default. */
  simulator?: Partial<SimulatorOptions>;
  openCompute?: (db: Database, clock: ManualClock) => ComputeDriver;
  edge?: Partial<EdgeSimulatorOptions>;
  /** No gateway if absent. */
  gateway?: GatewayDriver;
  /** Aborts when the service should appear stopped; never if absent. */
  stopping?: AbortSignal;
}

async function openServices(
  db: Database,
  outlet: JobPublisher,
  { clock = new ManualClock(), logger, simulator, env = {}, edge: edgeOptions, ...more }: InstallationOptions,
): Promise<Installation['services']> {
  await ensureRegionPools(db, catalog);
  const silent = logger ?? createLogger({ logLevel: 'silent' });
  const simulated = () =>
    createSimulator({
      store: new SimulatorGuests(db),
      clock,
      bootSeconds: 0,
      shutdownSeconds: 0,
      moveSeconds: 0,
      ...simulator,
    });
  const compute = more.openCompute?.(db, clock) ?? simulated();
  const place = await compute.place();
  const { gateway = createAbsentGateway('off') } = more;
  const sold = structuredClone(catalog);
  const signals = new Signals();
  const forwards = new ForwardReconciler({ db, gateway, signals, clock, logger: silent });
  const network = new NetworkReconciler({ db, compute, forwards, catalog: sold, logger: silent });
  const edge = createEdgeSimulator({ store: new SimulatorTargets(db), clock, ...edgeOptions });
  const leadership = new Leadership(db);
  await signals.start(db);
  const secrets = new SecretBox(Buffer.alloc(32, 1));
  const config = loadConfig(env);
  const common = {
    config,
    brand: loadBrand(config),
    site: { panelUrl: '/panel', operatorUrl: '/operator' },
    clock,
    logger: silent,
    metrics: createMetrics('test'),
    db,
    secrets,
  };
  const services = {
    ...common,
    catalog: sold,
    compute,
    engine: place === null ? compute.name : `${compute.name}:${place}`,
    edge,
    signals,
    queue: outlet,
    network,
    gateway,
    forwards,
    leadership,
    shield: new EdgeReconciler({ db, edge, clock, logger: silent, leadership }),
    opsKeys: await OpsKeys.open(db, secrets),
    documents: new DocumentRenderer({ clock, logger: silent }),
    mails: new MailSender(common),
    payments: new Payments(config, common.brand.name, common.site),
  };
  await new HostWatch(services).run();
  const guests = new GuestReconciler(services);
  return { ...services, guests, agent: new AgentRuns(services) };
}

/** Composes the service on a migrated database that the caller owns. */
export async function openInstallation(
  db: Database,
  options: InstallationOptions = {},
): Promise<Installation> {
  const outlet = new DirectOutlet();
  const services = await openServices(db, outlet, options);
  const { clock, compute, network, signals, shield, leadership } = services;
  const limiter = new RateLimiter(
    { key: NO_LIMIT, account: NO_LIMIT, ip: NO_LIMIT, open: NO_LIMIT },
    new LocalLimitStore(NO_LIMIT),
    clock,
  );
  const http = createHttpServer({
    services,
    limiter,
    mounts: [new KeyMount(ENDPOINTS, services, { authenticator: new Authenticator(db, clock), limiter })],
    draining: new AbortController().signal,
    stopping: options.stopping ?? new AbortController().signal,
  });
  registerWebhooks(http, services);
  const nodes = new Set<TestNode>();
  const openNode = async (hook?: StepHook) => {
    const node = new Node(services);
    await node.announce();
    const runner = new JobRunner(services, node, { concurrency: services.config.jobConcurrency, hook });
    const stop = async () => {
      await runner.stop();
      await node.leave();
      nodes.delete(opened);
    };
    const opened = { node, runner, adoption: new OrphanedJobRecovery(services), stop };
    nodes.add(opened);
    return opened;
  };
  const close = async () => {
    await services.documents.close();
    await http.close();
    for (const node of nodes) await node.stop();
    await network.idle();
    await services.forwards.idle();
    await services.guests.stop();
    await shield.idle();
    await leadership.leave();
    await signals.stop();
    await compute.close();
  };
  return { services, http, outlet, openNode, close };
}

/** Returns the ids of unfinished jobs, oldest first. */
export async function unfinishedJobs(db: Database): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select id from jobs where status in ('pending', 'running') order by id`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Runs every job to completion on one node, including jobs of missing nodes and jobs waiting for a retry. While
 * something waits for the clock, time advances one second per round; when nothing runs, it advances to the next attempt
 * of a job.
 */
export async function runJobs({ services }: Installation, { adoption, runner }: TestNode): Promise<void> {
  const { db, clock } = services;
  while ((await unfinishedJobs(db)).length > 0) {
    await adoption.run();
    await runner.fill();
    if (clock.sleeping > 0) clock.advance(SECOND_MS);
    else await passBackOff(db, clock);
  }
}

/** Advances time to the next attempt of a job, if nothing else is left to wait for. */
async function passBackOff(db: Database, clock: ManualClock): Promise<void> {
  const [row] = await db.query<{ owned: boolean; next: Date | null }>(sql`
    select coalesce(bool_or(owner is not null or next_attempt_at is null), false) as owned, min(next_attempt_at) as next
    from jobs where status in ('pending', 'running')`);
  if (row && !row.owned && row.next && row.next > clock.now()) clock.set(row.next);
}
