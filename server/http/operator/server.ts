import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { notFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { answer } from '../answer.ts';
import { registerBodyParser } from '../body-parser.ts';
import { boundClosing } from '../closing.ts';
import type { OperatorEndpoint } from '../endpoint.ts';
import { sendError } from '../errors.ts';
import type { Mount } from '../mount.ts';
import { refuseInvalidTargets, rewriteTarget } from '../request-target.ts';
import { registerRoutes } from '../routes.ts';
import type { OperatorServices } from '../services.ts';
import { registerHealth, registerMetrics } from './health.ts';
import { peerOf } from './peer.ts';
import type { Readiness } from './readiness.ts';

/** Maximum size of an operator's request in bytes: the largest one contains a hundred networks. */
export const OPERATOR_BODY_LIMIT = 64 * 1024;
/** A client that has not sent a whole request by then has hung. */
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Creates the operator API: accounts, money, keys, VMs, the shield, jobs, images, the log, health and metrics. Only for
 * the Unix socket: anyone who can open it may do everything, and is recorded as the process that the kernel names.
 */
export function createOperatorServer(
  services: OperatorServices,
  readiness: Readiness,
  endpoints: readonly OperatorEndpoint[],
): FastifyInstance {
  const app = createMonitoringServer(services, readiness);
  const mount: Mount = { prefix: '', endpoints, services, actor: (_, { socket }) => peerOf(socket) };
  const stopping = readiness.ending;
  registerRoutes(app, [mount], (request, reply) => answer({ request, reply, requestContext: {}, stopping }));
  return app;
}

/** Creates a server for `/healthz`, `/readyz` and `/metrics` only, which may be reachable over a network. */
export function createMonitoringServer(
  { clock, logger, metrics }: Pick<OperatorServices, 'clock' | 'logger' | 'metrics'>,
  readiness: Readiness,
): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId('req', clock),
    bodyLimit: OPERATOR_BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    rewriteUrl: rewriteTarget,
  });
  refuseInvalidTargets(app);
  boundClosing(app, clock);
  registerBodyParser(app);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  // Anyone who reaches this server can read /metrics, which shows the version too.
  registerHealth(app, readiness, () => true);
  registerMetrics(app, metrics);
  return app;
}
