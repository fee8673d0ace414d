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

/** Where one request is on its way; hung on the Fastify request. */
export interface RequestContext extends Admitted {
  idempotencyKey: string | undefined;
}

/** What a route carries in its `config`. */
export interface RouteConfig {
  endpoint?: Mounted;
  mount?: Mount;
  checks?: InputChecks;
  /**
   * Served without a key, such as the API description, the documentation and the panel's files; if a function, only to the
   * requests for which it returns true. Counted per network in a bucket of its own, unless `unlimited`.
   */
  open?: true | ((request: FastifyRequest) => boolean);
  /** Not counted: health checks, and routes with limits of their own. */
  unlimited?: true;
}

type SomeContext = Parameters<Endpoint['handle']>[0];

/** One request at its endpoint. */
interface Invocation {
  endpoint: Endpoint;
  mount: Mount;
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
  readonly #limiter: RateLimiter;
  /** What is below the longest prefix first, which the last one, without any, takes in. */
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

  /** Everything that is decided before the body is read. Throws an {@link ApiError} to refuse. */
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

  /** Writes the three rate headers and refuses with 429 where a limit is exceeded. */
  #limit(reply: FastifyReply, state: LimitState): void {
    const now = this.#services.clock.now();
    reply.headers(limitHeaders(state, now));
    if (state.allowed) return;
    this.#services.metrics.rateLimited(state.policy);
    throw limitExceeded(state, now);
  }

  /** As {@link #limit}, but a reply that is not refused has no rate headers: caches keep pages and files for other readers. */
  #limitOpen(reply: FastifyReply, state: LimitState): void {
    if (!state.allowed) this.#limit(reply, state);
  }

  /** Who answers for a path that no route takes. */
  #tableFor({ url }: FastifyRequest) {
    return this.#tables.find(({ mount: { prefix } }) => url.startsWith(`${prefix}/`)) ?? this.#tables.at(-1)!;
  }

  #refuseRoute(request: FastifyRequest, reply: FastifyReply): never {
    const path = request.url.split('?', 1)[0]!;
    // Of several with one prefix that which knows the path names its methods.
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
    // As the request came: a later version may fill in other defaults, and the transaction may run more than once.
    const operation = operationOf(request, requestContext);
    request.body ??= {};
    // Before `prepare`, which may ask a payment provider for something.
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
    // Of an endpoint that has no caller, nothing below asks for one.
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
