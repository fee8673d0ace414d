import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { PaymentExistsError } from '../domain/accounts/book-payment.ts';
import { registerBodyParser } from '../http/body-parser.ts';
import { sendError } from '../http/errors.ts';
import { notFound } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { registerAccountOperations } from './account-operations.ts';
import { registerAccountStatusOperations } from './account-status-operations.ts';
import { registerAdjustmentOperations } from './adjustment-operations.ts';
import { registerAttackOperations } from './attack-operations.ts';
import { registerAuditOperations } from './audit-operations.ts';
import { registerBillingProfileOperations } from './billing-profile-operations.ts';
import { registerBookOperations } from './book-operations.ts';
import { registerDiskOperations } from './disk-operations.ts';
import { registerDrainOperations } from './drain-operations.ts';
import { registerHealth, registerMetrics } from './health.ts';
import { registerHostOperations } from './host-operations.ts';
import { registerInvoiceOperations } from './invoice-operations.ts';
import { registerJobOperations } from './job-operations.ts';
import { registerKeyOperations } from './key-operations.ts';
import { registerLogOperations } from './log-operations.ts';
import type { OperatorServices } from './operation.ts';
import { registerOpsKeyOperations } from './ops-key-operations.ts';
import { registerOrphanOperations } from './orphan-operations.ts';
import { registerOutageOperations } from './outage-operations.ts';
import { registerPromoOperations } from './promo-operations.ts';
import type { Readiness } from './readiness.ts';
import { registerSecretOperations } from './secret-operations.ts';
import { registerTargetOperations, registerTenantOperations } from './shield-operations.ts';
import { registerVmOperations } from './vm-operations.ts';

/** The largest request has a hundred networks in it. */
const BODY_LIMIT = 64 * 1024;
/** A client that has not sent a whole request by then has hung. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The operator's API: accounts, money, keys, VMs, the shield, jobs, images, the log, health and metrics; for the Unix socket only. */
export function createOperatorServer(services: OperatorServices, readiness: Readiness): FastifyInstance {
  const app = createMonitoringServer(services, readiness);
  registerAccountOperations(app, services);
  registerAccountStatusOperations(app, services);
  registerAdjustmentOperations(app, services);
  registerBillingProfileOperations(app, services);
  registerOutageOperations(app, services);
  registerPromoOperations(app, services);
  registerInvoiceOperations(app, services);
  registerKeyOperations(app, services);
  registerVmOperations(app, services);
  registerDiskOperations(app, services);
  registerTenantOperations(app, services);
  registerTargetOperations(app, services);
  registerAttackOperations(app, services);
  registerJobOperations(app, services);
  registerOrphanOperations(app, services);
  registerHostOperations(app, services);
  registerDrainOperations(app, services);
  registerSecretOperations(app, services);
  registerOpsKeyOperations(app, services);
  registerAuditOperations(app, services);
  registerBookOperations(app, services);
  registerLogOperations(app, services);
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
  return reply
    .code(error.status)
    .send({ error: { code: 'payment_exists', message: error.message, details } });
}
