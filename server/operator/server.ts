import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { PaymentExistsError } from '../domain/accounts/book-payment.ts';
import { registerAccountOperations } from '../endpoints/operator/account-operations.ts';
import { registerAccountStatusOperations } from '../endpoints/operator/account-status-operations.ts';
import { registerAdjustmentOperations } from '../endpoints/operator/adjustment-operations.ts';
import { registerAttackOperations } from '../endpoints/operator/attack-operations.ts';
import { registerAuditOperations } from '../endpoints/operator/audit-operations.ts';
import { registerBillingProfileOperations } from '../endpoints/operator/billing-profile-operations.ts';
import { registerBookOperations } from '../endpoints/operator/book-operations.ts';
import { registerDiskOperations } from '../endpoints/operator/disk-operations.ts';
import { registerDrainOperations } from '../endpoints/operator/drain-operations.ts';
import { registerHostOperations } from '../endpoints/operator/host-operations.ts';
import { registerInvoiceOperations } from '../endpoints/operator/invoice-operations.ts';
import { registerJobOperations } from '../endpoints/operator/job-operations.ts';
import { registerKeyOperations } from '../endpoints/operator/key-operations.ts';
import { registerLogOperations } from '../endpoints/operator/log-operations.ts';
import { registerOpsKeyOperations } from '../endpoints/operator/ops-key-operations.ts';
import { registerOrphanOperations } from '../endpoints/operator/orphan-operations.ts';
import { registerOutageOperations } from '../endpoints/operator/outage-operations.ts';
import { registerPromoOperations } from '../endpoints/operator/promo-operations.ts';
import { registerSecretOperations } from '../endpoints/operator/secret-operations.ts';
import {
  registerTargetOperations,
  registerTenantOperations,
} from '../endpoints/operator/shield-operations.ts';
import { registerVmOperations } from '../endpoints/operator/vm-operations.ts';
import { registerBodyParser } from '../http/body-parser.ts';
import { sendError } from '../http/errors.ts';
import { notFound } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { registerHealth, registerMetrics } from './health.ts';
import type { OperatorServices } from './operation.ts';
import type { Readiness } from './readiness.ts';

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
