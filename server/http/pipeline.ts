import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LimitState, RateLimiter } from '../access/rate-limits.ts';
import type { Queryable, Transaction } from '../db/database.ts';
import { moneyRefusal } from '../db/known-books.ts';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';
import type { ApiError } from '../platform/errors.ts';
import { baseUrl } from './base-url.ts';
import { openQuery, sealReply } from './cursors.ts';
import type { Endpoint, EndpointServices } from './endpoint.ts';
import {
  type Operation,
  operationOf,
  rememberReply,
  requireIdempotencyKey,
  takeOperation,
} from './idempotency.ts';
import { limitExceeded, limitHeaders } from './limit-headers.ts';
import type { Admitted, Mount, Mounted } from './mount.ts';
import { type Outcome, represent, representationFor } from './representations.ts';
import { flawOf, requireReadableBody } from './request-form.ts';
import { requireTarget } from './request-target.ts';
import { isMisrouted, RouteTable } from './routes.ts';
import type { InputChecks } from './validation.ts';

/** The state of a request in progress, attached to the Fastify request. */
export interface RequestContext extends Admitted {
  idempotencyKey: string | undefined;
}

/** The contents of a route's `config`. */
export interface RouteConfig {
  endpoint?: Mounted;
  mount?: Mount;
  checks?: InputChecks;
  /**
   * Served without a key, such as the API description, the documentation and the panel's files; if a function, only
   * for requests for which it returns true. Counted per network in a separate bucket, unless `unlimited`.
   */
  open?: true | ((request: FastifyRequest) => boolean);
  /** Not counted: health checks, and routes with their own limits. */
  unlimited?: true;
}

type SomeContext = Parameters<Endpoint['handle']>[0];

interface Invocation {
  endpoint: Endpoint;
  mount: Mount;
  request: FastifyRequest;
  requestContext: RequestContext;
  /** Set if the inputs are malformed; thrown only after the resource was found. */
  refusal: ApiError | undefined;
  prepared: unknown;
}

/**
 * The single path for requests, in the contract's order. {@link admit} runs before the body is read: key and IP,
 * limits, route, scope, Idempotency-Key. {@link answer} runs after: stored reply, resource, validation, handler.
 * Inputs are checked before the transaction opens so that no locks are held during that; the error is reported in its
 * turn.
 */
export class Pipeline {
  readonly #services: EndpointServices;
  readonly #limiter: RateLimiter;
  /** Longest prefix first; the last mount has none and matches everything. */
  readonly #tables: readonly { mount: Mount; routes: RouteTable }[];
  readonly #stopping: AbortSignal;

  constructor(
    services: EndpointServices,
    limiter: RateLimiter,
    mounts: readonly Mount[],
    stopping: AbortSignal,
  ) {
    this.#services = services;
    this.#limiter = limiter;
    this.#tables = mounts
      .toSorted((a, b) => b.prefix.length - a.prefix.length)
      .map((mount) => ({ mount, routes: new RouteTable(mount.endpoints, mount.prefix) }));
    this.#stopping = stopping;
  }

  /** Makes all decisions that come before reading the body. Throws an {@link ApiError} to refuse. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<RequestContext | undefined> {
    const { endpoint, open, unlimited, mount } = request.routeOptions.config as RouteConfig;
    const ip = normalizeIp(request.ip);
    const isOpen = open === true || open?.(request);
    const flaw = flawOf(request.raw);
    if (isOpen && !unlimited) this.#limitOpen(reply, this.#limiter.takeOpen(clientNetwork(ip)));
    if (flaw && !isOpen) this.#limit(reply, this.#limiter.takeIp(clientNetwork(ip)));
    if (flaw) throw flaw;
    if (isOpen) {
      requireTarget(request.raw);
      return undefined;
    }
    const way = mount ?? this.#tableFor(request).mount;
    const limit = (state: LimitState) => this.#limit(reply, state);
    const admitted = await way.identify({ request, reply, ip, limit }, endpoint);
    requireTarget(request.raw);
    if (!endpoint || isMisrouted(endpoint, request.params as Record<string, string>))
      this.#refuseRoute(request, reply);
    else way.authorize(admitted, endpoint, request);
    const idempotencyKey = endpoint?.idempotent
      ? requireIdempotencyKey(request.headers['idempotency-key'])
      : undefined;
    requireReadableBody(request);
    return { ...admitted, idempotencyKey };
  }

  /** Writes the three rate headers and refuses with 429 if a limit is exceeded. */
  #limit(reply: FastifyReply, state: LimitState): void {
    const now = this.#services.clock.now();
    reply.headers(limitHeaders(state, now));
    if (state.allowed) return;
    this.#services.metrics.rateLimited(state.policy);
    throw limitExceeded(state, now);
  }

  /**
   * Like {@link #limit}, but writes rate headers to refusals only, because caches keep pages and files for other
   * readers.
   */
  #limitOpen(reply: FastifyReply, state: LimitState): void {
    if (!state.allowed) this.#limit(reply, state);
  }

  /** Returns the mount that answers for a path without a route. */
  #tableFor({ url }: FastifyRequest) {
    return this.#tables.find(({ mount: { prefix } }) => url.startsWith(`${prefix}/`)) ?? this.#tables.at(-1)!;
  }

  #refuseRoute(request: FastifyRequest, reply: FastifyReply): never {
    const path = request.url.split('?', 1)[0]!;
    // If several mounts share a prefix, the one that knows the path lists its methods.
    const refusals = this.#tables
      .filter(({ mount }) => mount.prefix === this.#tableFor(request).mount.prefix)
      .map(({ routes }) => routes.refusal(request.method, path));
    const { error, allow } = refusals.find((refusal) => refusal.allow !== undefined) ?? refusals[0]!;
    if (allow) reply.header('allow', allow);
    throw error;
  }

  /** Runs the endpoint and sends its reply. */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    requestContext: RequestContext,
  ): Promise<unknown> {
    const {
      endpoint: mounted,
      checks,
      mount,
    } = request.routeOptions.config as unknown as Required<RouteConfig>;
    if (mount.answer) return mount.answer(requestContext, request, reply, { endpoint: mounted, checks });
    const endpoint = mounted as Endpoint;
    reply.header('content-type', 'application/json; charset=utf-8');
    reply.header('cache-control', 'no-store');
    const { db, catalog } = this.#services;
    // From the original request, because a later version may fill in other defaults, and the transaction may run more
    // than once.
    const operation = operationOf(request, requestContext);
    request.body ??= {};
    // Before `prepare`, which may call a payment provider.
    const refusal =
      checks.refusal(request.query, request.body) ??
      (endpoint.money && (await moneyRefusal(db, catalog.currency)));
    if (refusal && !endpoint.load && !operation) throw refusal;
    const prepared = refusal ? undefined : await this.#prepare(endpoint, mount, request, requestContext);
    const invocation: Invocation = { endpoint, mount, request, requestContext, refusal, prepared };
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
    mount: Mount,
    request: FastifyRequest,
    requestContext: RequestContext,
  ): Promise<unknown> | undefined {
    const body = request.body as Record<string, unknown>;
    const who = { caller: requestContext.caller!, ...mount.particulars?.(requestContext, request) };
    return endpoint.prepare?.({ services: this.#services, ...who, params: request.params, body });
  }

  async #run(
    { endpoint, mount, request, requestContext, refusal, prepared }: Invocation,
    db: Queryable,
  ): Promise<Outcome> {
    // Endpoints without a caller do not use this value.
    const caller = requestContext.caller!;
    const who = { caller, ...mount.particulars?.(requestContext, request) };
    const params = request.params as Record<string, string>;
    const query = request.query as Record<string, unknown>;
    const body = request.body as Record<string, unknown>;
    const services = this.#services;
    const resource = endpoint.load ? await endpoint.load({ services, ...who, params, db }) : undefined;
    if (refusal) throw refusal;
    const list = endpoint.paginated
      ? `${caller?.accountId ?? ''} ${endpoint.operation} ${Object.values(params).join(' ')}`
      : undefined;
    if (list !== undefined) openQuery(list, query);
    const context: SomeContext = {
      services,
      ...who,
      params,
      query,
      body,
      resource,
      prepared,
      db,
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

  /**
   * Returns a signal for the end of the request or the service. Removes its listener from the service-wide signal
   * when the request ends.
   */
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
