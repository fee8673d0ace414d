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
import { registerBodyParser } from './body-parser.ts';
import { refuseBrokenRequests } from './broken-request.ts';
import { boundClosing } from './closing.ts';
import type { EndpointServices } from './endpoint.ts';
import { sendError } from './errors.ts';
import type { Mount } from './mount.ts';
import { maxHeaderSize } from './node-http.ts';
import { Pipeline, type RequestContext, type RouteConfig } from './pipeline.ts';
import { rewriteTarget } from './request-target.ts';
import { drainRefused } from './unread-body.ts';
import { isWebSocketRequest } from './upgrades.ts';
import { compileChecks } from './validation.ts';
import { boundWaitingConnections } from './waiting-connections.ts';

/** Largest body of an endpoint that says nothing else: room for a firewall rule with all its networks, or for notes. */
const BODY_LIMIT = 16 * 1024;
/** A caller's own request id is taken when it is harmless in a log line and a header. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** Slow-loris guard: the whole request has to arrive within this. */
const REQUEST_TIMEOUT_MS = 60_000;

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: RequestContext | undefined;
  }
}

/** What Node's published types do not know yet. */
type HttpOptions = ServerOptions & { shouldUpgradeCallback?: (request: IncomingMessage) => boolean };

export interface HttpParts {
  services: EndpointServices;
  limiter: RateLimiter;
  /** What is served, and to whom. */
  mounts: readonly Mount[];
  /** Aborts when the service is to stop, and serves on for who has not noticed. */
  draining: AbortSignal;
  /** Aborts when it begins to stop. */
  stopping: AbortSignal;
}

/** The HTTP server with every endpoint behind the one pipeline; not listening yet. */
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
    // HEAD answers as GET without a body, wherever there is a GET.
    exposeHeadRoutes: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Longer than the request line can be: what is no id takes the ordinary way to a 404.
    routerOptions: { maxParamLength: maxHeaderSize },
    // Node's own refusal would lack all that ours have: the pipeline refuses.
    http: { requireHostHeader: false, shouldUpgradeCallback: isWebSocketRequest } as HttpOptions,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    rewriteUrl: rewriteTarget,
    clientErrorHandler: refuseBrokenRequests(limiter, clock),
  });
  const pipeline = new Pipeline(services, limiter, mounts, stopping);

  // An expectation that Node does not know is ignored, as it may be; Node would answer it by itself.
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
  // Only reached by a path outside every route: admit() has refused it before.
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found', 'The resource does not exist.');
  });

  for (const mount of mounts) {
    for (const endpoint of mount.endpoints) {
      const routeConfig: RouteConfig = { endpoint, mount, checks: compileChecks(endpoint) };
      app.route({
        method: endpoint.method,
        url: mount.prefix + endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
        bodyLimit: endpoint.bodyLimit ?? BODY_LIMIT,
        config: routeConfig,
        handler: (request, reply) => pipeline.answer(request, reply, request.requestContext!),
      });
    }
  }
  return app;
}

/**
 * Once the service is to stop, a reply says that its connection ends with it: one that a client may go on using
 * would hold up the end until the client tires of it.
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
