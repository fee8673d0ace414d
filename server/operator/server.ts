import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { OPERATOR_ENDPOINTS } from '../endpoints/operator/index.ts';
import { registerBodyParser } from '../http/body-parser.ts';
import { boundClosing } from '../http/closing.ts';
import { sendError } from '../http/errors.ts';
import { refuseInvalidTargets, rewriteTarget } from '../http/request-target.ts';
import { notFound } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { OperatorServices } from './endpoint.ts';
import { registerHealth, registerMetrics } from './health.ts';
import type { Readiness } from './readiness.ts';
import { registerEndpoints } from './routes.ts';

/** The largest request has a hundred networks in it. */
const BODY_LIMIT = 64 * 1024;
/** A client that has not sent a whole request by then has hung. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The operator's API: accounts, money, keys, VMs, the shield, jobs, images, the log, health and metrics; for the Unix socket only. */
export function createOperatorServer(services: OperatorServices, readiness: Readiness): FastifyInstance {
  const app = createMonitoringServer(services, readiness);
  registerEndpoints(app, services, OPERATOR_ENDPOINTS);
  return app;
}

/** `/healthz`, `/readyz`, `/metrics` and nothing else: what may be reached over a network. */
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
  // Anyone who reaches this server can read /metrics, which show the version too.
  registerHealth(app, readiness, () => true);
  registerMetrics(app, metrics);
  return app;
}
