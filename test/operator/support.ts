import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { HostWatch } from '../../server/cluster/host-watch.ts';
import { Leadership } from '../../server/cluster/leadership.ts';
import { createSimulator, type SimulatorOptions } from '../../server/compute/simulator/simulator.ts';
import { loadConfig } from '../../server/config/config.ts';
import type { Database } from '../../server/db/database.ts';
import { SimulatorTargets } from '../../server/db/queries/hosts/simulator-edge.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { Signals } from '../../server/db/signals.ts';
import { DocumentRenderer } from '../../server/documents/renderer.ts';
import { loadCatalog } from '../../server/domain/catalog/load-catalog.ts';
import { createEdgeSimulator } from '../../server/edge/simulator/simulator.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { OpsKeys } from '../../server/guest-ssh/ops-keys.ts';
import { buildOpenApi } from '../../server/http/openapi/build-openapi.ts';
import { OPERATOR_DESCRIPTION } from '../../server/http/openapi/operator.ts';
import { listenOnSocket, operatorSocket } from '../../server/http/operator/listen-on-socket.ts';
import { Readiness } from '../../server/http/operator/readiness.ts';
import { createOperatorServer } from '../../server/http/operator/server.ts';
import type { OperatorServices } from '../../server/http/services.ts';
import { JobQueue } from '../../server/jobs/queue.ts';
import { GuestReconciler } from '../../server/jobs/reconcilers/reconcile-guests.ts';
import { Payments } from '../../server/payments/payments.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { createMetrics } from '../../server/platform/metrics.ts';
import { SecretBox } from '../../server/platform/secrets.ts';
import { EdgeReconciler } from '../../server/shield/reconcile-edge.ts';
import { Description, type Exchange } from '../openapi/description.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

export const DESCRIPTION = new Description(buildOpenApi(OPERATOR_DESCRIPTION, OPERATOR_ENDPOINTS));
/** Paths on the socket in addition to the API. */
const MONITORING = ['/healthz', '/readyz', '/metrics'];

export const START = '2026-01-01T00:00:00.000Z';
export const UNKNOWN_ACCOUNT = 'acc_00000000000000000000000000';

/** Checks a reply of the operator's API against its description. */
function checkReply(exchange: Exchange): void {
  if (!MONITORING.includes(exchange.path.split('?', 1)[0]!)) DESCRIPTION.check(exchange);
}

/** Creates a directory with a path short enough for a socket; it is removed when the test ends. */
export async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-'));
  defer(t, () => rm(directory, { recursive: true }));
  return directory;
}

/** The service's parts that the operator's API needs, on a clock that stands still. */
export function operatorServices(
  db: Database,
  dataDir = 'data',
  simulator: Partial<SimulatorOptions> = {},
  env: Record<string, string> = {},
) {
  const clock = new ManualClock(START);
  const config = loadConfig({ VAUBAN_DATA_DIR: dataDir, ...env });
  const catalog = loadCatalog(join(import.meta.dirname, '../../catalog.yaml'));
  const logger = createLogger({ logLevel: 'silent' });
  const compute = createSimulator({ store: new SimulatorGuests(db), clock, bootSeconds: 1, ...simulator });
  const edge = createEdgeSimulator({ store: new SimulatorTargets(db), clock });
  const leadership = new Leadership(db);
  const shield = new EdgeReconciler({ db, edge, clock, logger, leadership });
  const metrics = createMetrics('test');
  const signals = new Signals();
  const secrets = new SecretBox(Buffer.alloc(32, 1));
  const queue = new JobQueue(db);
  const site = {
    panelUrl: 'http://127.0.0.1:8080/panel',
    operatorUrl: 'http://127.0.0.1:8080/operator',
  };
  const services = {
    catalog,
    clock,
    compute,
    config,
    db,
    documents: new DocumentRenderer({ clock, logger }),
    edge,
    engine: compute.name,
    leadership,
    logger,
    metrics,
    site,
    opsKeys: new OpsKeys(db, secrets),
    payments: new Payments(config, 'Example', site),
    secrets,
    queue,
    shield,
    signals,
  };
  // There is no gateway, so nothing can be behind.
  const forwards = { isHere: false, isBehind: false };
  return { ...services, forwards, guests: new GuestReconciler(services) } satisfies OperatorServices & {
    leadership: Leadership;
    forwards: object;
  };
}

export interface Reply {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  json: () => any;
}

/** Sends one request over the operator's socket and checks the reply against the API's description. */
export async function call(socketPath: string, method: string, path: string, body?: unknown): Promise<Reply> {
  const reply = await exchange(socketPath, method, path, body);
  checkReply({ method, path, ...reply });
  return reply;
}

export function exchange(socketPath: string, method: string, path: string, body?: unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const outgoing = request({ socketPath, method, path, headers, agent: false });
    outgoing.on('error', reject).on('response', async (response) => {
      const content = await text(response);
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, text: content, json: () => JSON.parse(content) });
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Starts an operator's server on a fresh database; `post` and `get` send requests to it. */
export async function startOperator(
  t: TestContext,
  simulator?: Partial<SimulatorOptions>,
  env?: Record<string, string>,
) {
  const db = await freshDatabase(t);
  const dataDir = await temporaryDirectory(t);
  const services = operatorServices(db, dataDir, simulator, env);
  await new HostWatch(services).run();
  defer(t, async () => {
    await Promise.all([services.shield.idle(), services.guests.stop()]);
    await services.leadership.leave();
    await services.documents.close();
  });
  const socket = operatorSocket(dataDir);
  const readiness = new Readiness(services);
  const app = createOperatorServer(services, readiness, OPERATOR_ENDPOINTS);
  checkReplies(t, app);
  await listenOnSocket(app, socket);
  defer(t, () => app.close());
  return {
    ...services,
    dataDir,
    socket,
    readiness,
    get: (path: string) => call(socket, 'GET', path),
    post: (path: string, body?: unknown) => call(socket, 'POST', path, body),
    async newAccount(name = 'Example Ltd'): Promise<string> {
      return (await call(socket, 'POST', '/accounts', { name })).json().data.id;
    },
  };
}

/** Checks the replies of `app` against the API's description; violations fail the test at its end. */
function checkReplies(t: TestContext, app: FastifyInstance): void {
  const broken: unknown[] = [];
  app.addHook('onSend', async ({ method, url: path }, reply, text) => {
    if (typeof text !== 'string') return;
    try {
      checkReply({ method, path, status: reply.statusCode, headers: reply.getHeaders(), text });
    } catch (error) {
      broken.push(error);
    }
  });
  defer(t, () => assert.deepEqual(broken, []));
}
