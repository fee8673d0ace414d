import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { PaymentExistsError } from '../domain/accounts/credit-account.ts';
import { registerBodyParser } from '../http/body-parser.ts';
import { sendError } from '../http/errors.ts';
import { notFound } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { registerAccountOperations } from './account-operations.ts';
import { registerAttackOperations } from './attack-operations.ts';
import { registerHealth, registerMetrics } from './health.ts';
import { registerHostOperations } from './host-operations.ts';
import { registerKeyOperations } from './key-operations.ts';
import type { OperatorServices } from './operation.ts';
import type { Readiness } from './readiness.ts';
import { registerTargetOperations, registerTenantOperations } from './shield-operations.ts';

/** The largest request has a hundred networks in it. */
const BODY_LIMIT = 64 * 1024;
/** Whoever does not send a whole request by then has hung. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The operator's API: accounts, money, keys, the shield, images, health and metrics; for the Unix socket only. */
export function createOperatorServer(services: OperatorServices, readiness: Readiness): FastifyInstance {
  const app = createMonitoringServer(services, readiness);
  registerAccountOperations(app, services);
  registerKeyOperations(app, services);
  registerTenantOperations(app, services);
  registerTargetOperations(app, services);
  registerAttackOperations(app, services);
  registerHostOperations(app, services);
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
  });
  registerBodyParser(app);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  registerHealth(app, readiness);
  registerMetrics(app, metrics);
  return app;
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!(error instanceof PaymentExistsError)) return sendError(error, request, reply);
  const details = { payment_id: error.payment.id };
  return reply.code(409).send({ error: { code: 'payment_exists', message: error.message, details } });
}
