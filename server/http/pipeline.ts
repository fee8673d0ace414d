import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LimitState, RateLimiter } from '../access/rate-limits.ts';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';
import { requireIdempotencyKey } from './idempotency.ts';
import { limitExceeded, limitHeaders } from './limit-headers.ts';
import type { GuardedMount, RequestContext } from './mount.ts';
import { flawOf, requireReadableBody } from './request-form.ts';
import { requireTarget } from './request-target.ts';
import { type MountedRoute, RouteTable } from './routes.ts';
import type { CommonServices } from './services.ts';

/** The contents of a route's `config`: what it knows of its endpoint, or that it needs no key. */
export interface RouteConfig extends Partial<MountedRoute> {
  /**
   * Served without a key, such as the API description, the documentation and the panel's files; if a function, only
   * for requests for which it returns true. Counted per network in a separate bucket, unless `unlimited`.
   */
  open?: true | ((request: FastifyRequest) => boolean);
  /** Not counted: health checks, and routes with their own limits. */
  unlimited?: true;
}

/**
 * Everything that is decided before a request's body is read, in the contract's order: key and IP, limits, route,
 * scope, Idempotency-Key. The rest is in `answer.ts`.
 */
export class Pipeline {
  readonly #services: Pick<CommonServices, 'clock' | 'metrics'>;
  readonly #limiter: RateLimiter;
  /** Longest prefix first; the last mount has none and matches everything. */
  readonly #tables: readonly { mount: GuardedMount; routes: RouteTable }[];

  constructor(
    services: Pick<CommonServices, 'clock' | 'metrics'>,
    limiter: RateLimiter,
    mounts: readonly GuardedMount[],
  ) {
    this.#services = services;
    this.#limiter = limiter;
    this.#tables = mounts
      .toSorted((a, b) => b.prefix.length - a.prefix.length)
      .map((mount) => ({ mount, routes: new RouteTable(mount.endpoints, mount.prefix) }));
  }

  /** Makes all decisions that come before reading the body. Throws an {@link ApiError} to refuse. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<RequestContext | undefined> {
    const { endpoint, open, unlimited, mount: own } = request.routeOptions.config as RouteConfig;
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
    const { mount, routes } = this.#tableFor(request, own);
    const limit = (state: LimitState) => this.#limit(reply, state);
    const admitted = await mount.identify({ request, reply, ip, limit }, endpoint);
    requireTarget(request.raw);
    if (!endpoint || routes.isMisrouted(endpoint, request.params as Record<string, string>))
      this.#refuseRoute(request, reply);
    else mount.authorize(admitted, endpoint);
    const isIdempotent = endpoint?.audience !== 'operator' && endpoint?.idempotent;
    const idempotencyKey = isIdempotent
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

  /** Returns the mount of a route or, for a path without one, the mount that answers. */
  #tableFor({ url }: FastifyRequest, own?: RouteConfig['mount']) {
    const table = own
      ? this.#tables.find(({ mount }) => mount === own)
      : this.#tables.find(({ mount: { prefix } }) => url.startsWith(`${prefix}/`));
    return table ?? this.#tables.at(-1)!;
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
}
