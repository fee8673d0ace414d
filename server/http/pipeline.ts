import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Queryable, Transaction } from '../db/database.ts';
import type { Caller, Context, Endpoint, Result, StreamedResult } from '../endpoints/endpoint.ts';
import type { AuthenticatedKey, Authenticator } from '../platform/authentication.ts';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';
import { ApiError } from '../platform/errors.ts';
import type { LimitState, RateLimiter } from '../platform/rate-limits.ts';
import type { Services } from '../services.ts';
import { baseUrl } from './base-url.ts';
import {
  fingerprint,
  type OperationKey,
  rememberReply,
  requireIdempotencyKey,
  takeOperation,
} from './idempotency.ts';
import { limitExceeded, limitHeaders } from './limit-headers.ts';
import { isMisrouted, type RouteTable } from './routes.ts';
import type { InputChecks } from './validation.ts';

/** Where one request is on its way; hung on the Fastify request. */
export interface Passage {
  caller: Caller;
  idempotencyKey: string | undefined;
}

/** What a route carries in its `config`. */
export interface RouteConfig {
  endpoint?: Endpoint;
  checks?: InputChecks;
  /** Served without a key and outside the limits: health, the API description, its reference page. */
  open?: true;
}

type SomeContext = Context<
  Record<string, string>,
  Record<string, unknown>,
  Record<string, unknown>,
  unknown,
  Queryable,
  unknown
>;

/** One request at its endpoint. */
interface Visit {
  endpoint: Endpoint;
  checks: InputChecks;
  request: FastifyRequest;
  passage: Passage;
  prepared: unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const isStreamed = (outcome: Result | StreamedResult): outcome is StreamedResult => 'stream' in outcome;

/**
 * The one way in, in the contract's order. {@link admit} runs before the body is read: key and IP, limits,
 * route, scope, Idempotency-Key. {@link answer} runs after: stored reply, resource, validation, handler.
 */
export class Pipeline {
  readonly #services: Services;
  readonly #authenticator: Authenticator;
  readonly #limiter: RateLimiter;
  readonly #routes: RouteTable;
  readonly #stopping: Promise<void>;

  constructor(
    services: Services,
    authenticator: Authenticator,
    limiter: RateLimiter,
    routes: RouteTable,
    stopping: Promise<void>,
  ) {
    this.#services = services;
    this.#authenticator = authenticator;
    this.#limiter = limiter;
    this.#routes = routes;
    this.#stopping = stopping;
  }

  /** Everything that is decided before the body is read. Throws an {@link ApiError} to refuse. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<Passage | undefined> {
    const { endpoint, open } = request.routeOptions.config as RouteConfig;
    if (open) return undefined;
    const ip = normalizeIp(request.ip);
    const key = await this.#authenticate(request, reply, ip);
    const taken = this.#limiter.takeKey(key.id, key.accountId);
    this.#limit(reply, taken instanceof Promise ? await taken : taken);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new ApiError('invalid_request', 'An HTTP/1.1 request needs a Host header.');
    if (!endpoint || isMisrouted(endpoint, request.params as Record<string, string>))
      this.#refuseRoute(request, reply);
    else this.#requireScope(key, endpoint);
    const idempotencyKey = endpoint?.idempotent
      ? requireIdempotencyKey(request.headers['idempotency-key'])
      : undefined;
    this.#requireSize(request);
    return { caller: { accountId: key.accountId, keyId: key.id, ip }, idempotencyKey };
  }

  /** What says beforehand that it is too large is refused for that, before anybody looks at its type. */
  #requireSize({
    method,
    headers,
    routeOptions: { bodyLimit = Number.POSITIVE_INFINITY },
  }: FastifyRequest): void {
    if (method !== 'GET' && Number(headers['content-length']) > bodyLimit)
      throw new ApiError('body_too_large', 'The body is too large.');
  }

  async #authenticate(request: FastifyRequest, reply: FastifyReply, ip: string): Promise<AuthenticatedKey> {
    try {
      const key = this.#authenticator.authenticate(request.headers.authorization, ip);
      return key instanceof Promise ? await key : key;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#limit(reply, this.#limiter.takeIp(clientNetwork(ip)));
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

  #requireScope(key: AuthenticatedKey, { scope, method, path }: Endpoint): void {
    if (key.scopes.has(scope)) return;
    throw new ApiError('scope_required', `Scope ${scope} is required for ${method} ${path}`, { scope });
  }

  /** Runs the endpoint and sends its reply. */
  async answer(request: FastifyRequest, reply: FastifyReply, passage: Passage): Promise<string | Readable> {
    const { endpoint, checks } = request.routeOptions.config as unknown as Required<RouteConfig>;
    reply.header('content-type', 'application/json; charset=utf-8');
    reply.header('cache-control', 'no-store');
    const { db } = this.#services;
    const visit: Visit = {
      endpoint,
      checks,
      request,
      passage,
      prepared: await this.#prepare(endpoint, request, passage),
    };
    if (endpoint.method === 'GET') return JSON.stringify(await this.#run(visit, db));
    const outcome = await db.transaction(async (tx) =>
      passage.idempotencyKey === undefined
        ? await this.#run(visit, tx)
        : await this.#runOnce(visit, reply, passage.idempotencyKey, tx),
    );
    if (typeof outcome === 'string') return outcome;
    return isStreamed(outcome) ? this.#stream(reply, outcome) : JSON.stringify(outcome);
  }

  /** Refusals were ordinary replies so far; from here on the events tell what goes wrong. */
  #stream(reply: FastifyReply, { stream }: StreamedResult): Readable {
    reply.header('content-type', 'text/event-stream; charset=utf-8');
    // Asks the proxies that know it not to hold events back.
    reply.header('x-accel-buffering', 'no');
    return stream();
  }

  #prepare(endpoint: Endpoint, request: FastifyRequest, { caller }: Passage): Promise<unknown> | undefined {
    const body = isRecord(request.body) ? request.body : {};
    return endpoint.prepare?.({ caller, params: request.params, body, services: this.#services });
  }

  async #run(
    { endpoint, checks, request, passage: { caller }, prepared }: Visit,
    db: Queryable,
  ): Promise<Result | StreamedResult> {
    const params = request.params as Record<string, string>;
    const query = request.query as Record<string, unknown>;
    const body = (request.body ?? {}) as Record<string, unknown>;
    const services = this.#services;
    const resource = endpoint.load ? await endpoint.load({ caller, params, db, services }) : undefined;
    checks.query(query);
    checks.body(body);
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
    };
    return endpoint.handle(context);
  }

  async #runOnce(visit: Visit, reply: FastifyReply, key: string, tx: Transaction): Promise<string> {
    const { endpoint, request, passage } = visit;
    const { clock, secrets } = this.#services;
    const path = request.url.split('?', 1)[0]!;
    const operation: OperationKey = {
      accountId: passage.caller.accountId,
      method: request.method,
      path,
      key,
    };
    const print = fingerprint(request.method, path, request.body ?? {});
    const stored = await takeOperation(tx, operation, print, secrets);
    if (stored !== undefined) {
      reply.header('idempotent-replayed', 'true');
      return stored;
    }
    const text = JSON.stringify(await this.#run(visit, tx));
    await rememberReply(
      tx,
      operation,
      print,
      { text, secret: endpoint.secret === true, at: clock.now() },
      secrets,
    );
    return text;
  }

  #hangUp(request: FastifyRequest): Promise<void> {
    const closed = new Promise<void>((resolve) => request.raw.once('close', () => resolve()));
    return Promise.race([closed, this.#stopping]);
  }
}
