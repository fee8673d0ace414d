import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { notFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { registerBodyParser } from '../body-parser.ts';
import { boundClosing } from '../closing.ts';
import { sendError } from '../errors.ts';
import { refuseInvalidTargets, rewriteTarget } from '../request-target.ts';
import type { OperatorEndpoint, OperatorServices } from './endpoint.ts';
import { registerHealth, registerMetrics } from './health.ts';
import type { Readiness } from './readiness.ts';
import { registerEndpoints } from './routes.ts';

/** The largest request contains a hundred networks. */
const BODY_LIMIT = 64 * 1024;
/** A client that has not sent a whole request by then has hung. */
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Creates the operator API: accounts, money, keys, VMs, the shield, jobs, images, the log, health and metrics. Only for
 * the Unix socket.
 */
export function createOperatorServer(
  services: OperatorServices,
  readiness: Readiness,
  endpoints: readonly OperatorEndpoint[],
): FastifyInstance {
  const app = createMonitoringServer(services, readiness);
  registerEndpoints(app, services, endpoints);
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
    bodyLimit: BODY_LIMIT,
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
