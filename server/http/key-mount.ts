import type { FastifyReply } from 'fastify';
import {
  type AuthenticatedKey,
  type Authenticator,
  type LookUpBudget,
  requireScope,
} from '../access/authentication.ts';
import type { LimitState, RateLimiter } from '../access/rate-limits.ts';
import { DatabaseAwayError } from '../db/database.ts';
import { clientNetwork } from '../platform/cidr.ts';
import { ApiError } from '../platform/errors.ts';
import type { CustomerEndpoint } from './endpoint.ts';
import { limitHeaders } from './limit-headers.ts';
import type { Admitted, Arrival, GuardedMount } from './mount.ts';
import type { EndpointServices } from './services.ts';

export interface KeyParts {
  authenticator: Authenticator;
  limiter: RateLimiter;
}

interface AdmittedKey extends Admitted {
  key: AuthenticatedKey;
}

/** The customers' API: each request carries a key, each endpoint requires one of its scopes. Cookies are ignored. */
export class KeyMount implements GuardedMount {
  readonly prefix = '';
  readonly endpoints: readonly CustomerEndpoint[];
  readonly services: EndpointServices;
  readonly #parts: KeyParts;

  constructor(endpoints: readonly CustomerEndpoint[], services: EndpointServices, parts: KeyParts) {
    this.endpoints = endpoints;
    this.services = services;
    this.#parts = parts;
  }

  /** While the database is unavailable, the rate headers show what this node last knew. */
  async identify({ request, reply, ip, limit }: Arrival): Promise<AdmittedKey> {
    const { authenticator, limiter } = this.#parts;
    const header = request.headers.authorization;
    try {
      const key = await this.#authenticate(header, reply, ip);
      const taken = limiter.takeKey(key.id, key.accountId);
      limit(taken instanceof Promise ? await taken : taken);
      return { key, caller: { accountId: key.accountId, principal: { kind: 'key', id: key.id }, ip } };
    } catch (error) {
      if (error instanceof DatabaseAwayError) {
        const known = limiter.lastKnown(authenticator.lastKnown(header), clientNetwork(ip));
        reply.headers(limitHeaders(known, this.services.clock.now()));
      }
      throw error;
    }
  }

  authorize(admitted: Admitted, endpoint: CustomerEndpoint): void {
    requireScope((admitted as AdmittedKey).key, endpoint);
  }

  async #authenticate(
    header: string | undefined,
    reply: FastifyReply,
    ip: string,
  ): Promise<AuthenticatedKey> {
    const { authenticator, limiter } = this.#parts;
    let counted: LimitState | undefined;
    const budget: LookUpBudget = {
      take: () => {
        counted = limiter.takeIp(clientNetwork(ip));
        return counted.allowed;
      },
      giveBack: () => limiter.giveBackIp(clientNetwork(ip)),
    };
    try {
      const key = authenticator.authenticate(header, ip, budget);
      return key instanceof Promise ? await key : key;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Beyond the limit the answer is still 401: the limit only stops key look-ups, and Retry-After belongs to a
      // 429.
      const state = counted ?? limiter.takeIp(clientNetwork(ip));
      reply.headers(limitHeaders({ ...state, allowed: true }, this.services.clock.now()));
      reply.header('www-authenticate', 'Bearer');
      throw error;
    }
  }
}
