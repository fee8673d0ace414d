import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type AuthenticatedKey,
  type Authenticator,
  type LookUpBudget,
  requireScope,
} from '../access/authentication.ts';
import type { LimitState, RateLimiter } from '../access/rate-limits.ts';
import { DatabaseAwayError, type Queryable, type Transaction } from '../db/database.ts';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';
import { ApiError } from '../platform/errors.ts';
import { baseUrl } from './base-url.ts';
import { openQuery, sealReply } from './cursors.ts';
import type { Caller, Endpoint, EndpointServices } from './endpoint.ts';
import {
  type Operation,
  operationOf,
  rememberReply,
  requireIdempotencyKey,
  takeOperation,
} from './idempotency.ts';
import { limitExceeded, limitHeaders } from './limit-headers.ts';
import { type Outcome, represent, representationFor } from './representations.ts';
import { flawOf, requireReadableBody } from './request-form.ts';
import { isMisrouted, type RouteTable } from './routes.ts';
import type { InputChecks } from './validation.ts';

/** Where one request is on its way; hung on the Fastify request. */
export interface RequestContext {
  caller: Caller;
  idempotencyKey: string | undefined;
}

/** What a route carries in its `config`. */
export interface RouteConfig {
  endpoint?: Endpoint;
  checks?: InputChecks;
  /**
   * Served without a key and outside the limits: health, the API description, its reference page; where a function,
   * to the requests it says.
   */
  open?: true | ((request: FastifyRequest) => boolean);
}

type SomeContext = Parameters<Endpoint['handle']>[0];

/** One request at its endpoint. */
interface Invocation {
  endpoint: Endpoint;
  request: FastifyRequest;
  requestContext: RequestContext;
  /** Set where the inputs are wrong by their form; answered once the resource was found. */
  refusal: ApiError | undefined;
  prepared: unknown;
}

/**
 * The one way in, in the contract's order. {@link admit} runs before the body is read: key and IP, limits,
 * route, scope, Idempotency-Key. {@link answer} runs after: stored reply, resource, validation, handler. Inputs are
 * checked before the transaction opens, so that nothing is held meanwhile; what is wrong is said in its turn.
 */
export class Pipeline {
  readonly #services: EndpointServices;
  readonly #authenticator: Authenticator;
  readonly #limiter: RateLimiter;
  readonly #routes: RouteTable;
  readonly #stopping: AbortSignal;

  constructor(
    services: EndpointServices,
    authenticator: Authenticator,
    limiter: RateLimiter,
    routes: RouteTable,
    stopping: AbortSignal,
  ) {
    this.#services = services;
    this.#authenticator = authenticator;
    this.#limiter = limiter;
    this.#routes = routes;
    this.#stopping = stopping;
  }

  /** Everything that is decided before the body is read. Throws an {@link ApiError} to refuse. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<RequestContext | undefined> {
    const { endpoint, open } = request.routeOptions.config as RouteConfig;
    const ip = normalizeIp(request.ip);
    const isOpen = open === true || open?.(request);
    const flaw = flawOf(request.raw);
    if (flaw && !isOpen) this.#limit(reply, this.#limiter.takeIp(clientNetwork(ip)));
    if (flaw) throw flaw;
    if (isOpen) return undefined;
    const key = await this.#identify(request, reply, ip);
    if (!endpoint || isMisrouted(endpoint, request.params as Record<string, string>))
      this.#refuseRoute(request, reply);
    else requireScope(key, endpoint);
    const idempotencyKey = endpoint?.idempotent
      ? requireIdempotencyKey(request.headers['idempotency-key'])
      : undefined;
    requireReadableBody(request);
    return { caller: { accountId: key.accountId, keyId: key.id, ip }, idempotencyKey };
  }

  /** Who calls, within their limits. While the database is away the headers tell what this node knows. */
  async #identify(request: FastifyRequest, reply: FastifyReply, ip: string): Promise<AuthenticatedKey> {
    try {
      const key = await this.#authenticate(request, reply, ip);
      const taken = this.#limiter.takeKey(key.id, key.accountId);
      this.#limit(reply, taken instanceof Promise ? await taken : taken);
      return key;
    } catch (error) {
      if (error instanceof DatabaseAwayError) {
        const keyId = this.#authenticator.lastKnown(request.headers.authorization);
        reply.headers(
          limitHeaders(this.#limiter.lastKnown(keyId, clientNetwork(ip)), this.#services.clock.now()),
        );
      }
      throw error;
    }
  }

  async #authenticate(request: FastifyRequest, reply: FastifyReply, ip: string): Promise<AuthenticatedKey> {
    let counted: LimitState | undefined;
    const budget: LookUpBudget = {
      take: () => {
        counted = this.#limiter.takeIp(clientNetwork(ip));
        return counted.allowed;
      },
      giveBack: () => this.#limiter.giveBackIp(clientNetwork(ip)),
    };
    try {
      const key = this.#authenticator.authenticate(request.headers.authorization, ip, budget);
      return key instanceof Promise ? await key : key;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#limit(reply, counted ?? this.#limiter.takeIp(clientNetwork(ip)));
      reply.header('www-authenticate', 'Bearer');
      throw error;
    }
  }

  /** Writes the three rate headers and refuses with 429 where a limit is exceeded. */
  #limit(reply: FastifyReply, state: LimitState): void {
    const now = this.#services.clock.now();
    reply.headers(limitHeaders(state, now));
    if (state.allowed) return;
    this.#services.metrics.rateLimited(state.policy);
    throw limitExceeded(state, now);
  }

  #refuseRoute(request: FastifyRequest, reply: FastifyReply): never {
    const { error, allow } = this.#routes.refusal(request.method, request.url.split('?', 1)[0]!);
    if (allow) reply.header('allow', allow);
    throw error;
  }

  /** Runs the endpoint and sends its reply. */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    requestContext: RequestContext,
  ): Promise<string | Readable | Buffer> {
    const { endpoint, checks } = request.routeOptions.config as unknown as Required<RouteConfig>;
    reply.header('content-type', 'application/json; charset=utf-8');
    reply.header('cache-control', 'no-store');
    const { db } = this.#services;
    // As the request came: a later version may fill in other defaults, and the transaction may run more than once.
    const operation = operationOf(request, requestContext);
    request.body ??= {};
    const refusal = checks.refusal(request.query, request.body);
    if (refusal && !endpoint.load && !operation) throw refusal;
    const prepared = refusal ? undefined : await this.#prepare(endpoint, request, requestContext);
    const invocation: Invocation = { endpoint, request, requestContext, refusal, prepared };
    if (endpoint.representations) reply.header('vary', 'accept');
    if (endpoint.method === 'GET') return represent(reply, await this.#run(invocation, db));
    const outcome = await db.transaction(async (tx) =>
      operation ? await this.#runOnce(invocation, reply, operation, tx) : await this.#run(invocation, tx),
    );
    if (typeof outcome === 'string') return outcome;
    return represent(reply, outcome);
  }

  #prepare(
    endpoint: Endpoint,
    request: FastifyRequest,
    { caller }: RequestContext,
  ): Promise<unknown> | undefined {
    const body = request.body as Record<string, unknown>;
    return endpoint.prepare?.({ caller, params: request.params, body, services: this.#services });
  }

  async #run(
    { endpoint, request, requestContext: { caller }, refusal, prepared }: Invocation,
    db: Queryable,
  ): Promise<Outcome> {
    const params = request.params as Record<string, string>;
    const query = request.query as Record<string, unknown>;
    const body = request.body as Record<string, unknown>;
    const services = this.#services;
    const resource = endpoint.load ? await endpoint.load({ caller, params, db, services }) : undefined;
    if (refusal) throw refusal;
    const list = endpoint.paginated
      ? `${caller.accountId} ${endpoint.operation} ${Object.values(params).join(' ')}`
      : undefined;
    if (list !== undefined) openQuery(list, query);
    const context: SomeContext = {
      caller,
      params,
      query,
      body,
      resource,
      prepared,
      db,
      services,
      now: services.clock.now(),
      baseUrl: () => baseUrl(services.config, request),
      hangUp: () => this.#hangUp(request),
      representation: representationFor(endpoint, request),
    };
    const outcome = await endpoint.handle(context);
    return list !== undefined && 'data' in outcome ? sealReply(list, outcome) : outcome;
  }

  async #runOnce(
    invocation: Invocation,
    reply: FastifyReply,
    operation: Operation,
    tx: Transaction,
  ): Promise<string> {
    const { clock, secrets } = this.#services;
    const stored = await takeOperation(tx, operation, secrets);
    if (stored !== undefined) {
      reply.header('idempotent-replayed', 'true');
      return stored;
    }
    const text = JSON.stringify(await this.#run(invocation, tx));
    const secret = invocation.endpoint.secret === true;
    await rememberReply(tx, operation, { text, secret, at: clock.now() }, secrets);
    return text;
  }

  /** What is left of it on the signal that lives as long as the service goes when the request is over. */
  #hangUp({ raw }: FastifyRequest): AbortSignal {
    const over = new AbortController();
    const end = () => {
      this.#stopping.removeEventListener('abort', end);
      over.abort();
    };
    raw.once('close', end);
    this.#stopping.addEventListener('abort', end);
    if (raw.destroyed || this.#stopping.aborted) end();
    return over.signal;
  }
}
