import type { IncomingMessage, ServerOptions } from 'node:http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { RateLimiter } from '../access/rate-limits.ts';
import { addressMatcher } from '../platform/cidr.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { answer } from './answer.ts';
import { registerBodyParser } from './body-parser.ts';
import { refuseBrokenRequests } from './broken-request.ts';
import { boundClosing } from './closing.ts';
import { sendError } from './errors.ts';
import type { GuardedMount, RequestContext } from './mount.ts';
import { maxHeaderSize } from './node-http.ts';
import { Pipeline, type RouteConfig } from './pipeline.ts';
import { rewriteTarget } from './request-target.ts';
import { registerRoutes } from './routes.ts';
import type { CommonServices } from './services.ts';
import { drainRefused } from './unread-body.ts';
import { isWebSocketRequest } from './upgrades.ts';
import { boundWaitingConnections } from './waiting-connections.ts';

/** Default maximum body size of an endpoint: enough for a firewall rule with all its networks, or for notes. */
const BODY_LIMIT = 64 * 1024;
/** A caller's own request id is accepted if it is safe in a log line and a header. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** Guard against slow loris: the whole request must arrive within this time. */
const REQUEST_TIMEOUT_MS = 60_000;

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: RequestContext | undefined;
  }
}

/** Options missing from Node's published types. */
type HttpOptions = ServerOptions & { shouldUpgradeCallback?: (request: IncomingMessage) => boolean };

export interface HttpParts {
  services: Pick<CommonServices, 'config' | 'clock' | 'logger' | 'metrics'>;
  limiter: RateLimiter;
  /** The APIs to serve, each with its way to identify callers. */
  mounts: readonly GuardedMount[];
  /** Aborts when the service should stop but still serves clients that are not aware of it yet. */
  draining: AbortSignal;
  /** Aborts when the service starts to stop. */
  stopping: AbortSignal;
}

/** Returns the HTTP server with every endpoint behind the one pipeline; it is not listening yet. */
export function createHttpServer({
  services,
  limiter,
  mounts,
  draining,
  stopping,
}: HttpParts): FastifyInstance {
  const { config, clock, logger, metrics } = services;
  const app: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && SAFE_REQUEST_ID.test(given) ? given : newId('req', clock);
    },
    bodyLimit: BODY_LIMIT,
    // HEAD answers like GET without a body, wherever there is a GET.
    exposeHeadRoutes: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Longer than any request line, so that an overlong id gets an ordinary 404.
    routerOptions: { maxParamLength: maxHeaderSize },
    // Node's own refusal would lack our headers and error body, so the pipeline refuses instead.
    http: { requireHostHeader: false, shouldUpgradeCallback: isWebSocketRequest } as HttpOptions,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    rewriteUrl: rewriteTarget,
    clientErrorHandler: refuseBrokenRequests(limiter, clock),
  });
  const pipeline = new Pipeline(services, limiter, mounts);

  // An expectation that Node does not know is ignored, as HTTP permits; otherwise Node would answer it itself.
  app.server.on('checkExpectation', app.routing);
  boundWaitingConnections(app.server, addressMatcher(config.trustProxy));
  boundClosing(app, clock);
  registerBodyParser(app);
  endConnections(app, draining);
  drainRefused(app, clock);
  app.decorateRequest('requestContext', undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    request.requestContext = await pipeline.admit(request, reply);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const operation = (request.routeOptions.config as RouteConfig).endpoint?.operation ?? 'none';
    metrics.requestAnswered(operation, reply.statusCode, reply.elapsedTime / 1000);
    request.log.info(describe(request, operation, reply.statusCode, reply.elapsedTime), 'request');
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  // Only reached by a path without a route, which admit() has already refused.
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found', 'The resource does not exist.');
  });

  registerRoutes(app, mounts, (request, reply) =>
    answer({ request, reply, requestContext: request.requestContext!, stopping }),
  );
  return app;
}

/**
 * When the service should stop, each reply closes its connection: if the client could keep using it, it would delay
 * the end until the client stops.
 */
function endConnections(app: FastifyInstance, draining: AbortSignal): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (draining.aborted) reply.header('connection', 'close');
    done();
  });
}

function describe(request: FastifyRequest, operation: string, status: number, ms: number) {
  const caller = request.requestContext?.caller;
  return {
    operation,
    method: request.method,
    path: request.url.split('?', 1)[0],
    status,
    ms: Math.round(ms * 10) / 10,
    ip: request.ip,
    account_id: caller?.accountId,
    ...(caller && { [caller.principal.kind === 'key' ? 'key_id' : 'person_id']: caller.principal.id }),
  };
}
