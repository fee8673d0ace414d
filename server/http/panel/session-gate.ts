import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiter } from '../../access/rate-limits.ts';
import type { RealmRules } from '../../access/realms.ts';
import type { ActiveSession, Sessions } from '../../access/sessions.ts';
import type { Config } from '../../config/config.ts';
import { clientNetwork } from '../../platform/cidr.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import type { Admitted, Arrival } from '../mount.ts';
import { Browser } from './browser.ts';
import { dropCookie, sessionCookie } from './cookies.ts';
import { requireOwnOrigin } from './origin.ts';

/** A caller admitted with a session, or without one if the operation is public. */
export interface AdmittedPerson extends Admitted {
  session: ActiveSession | undefined;
  browser: Browser;
}

export interface GateParts {
  realm: RealmRules;
  config: Config;
  sessions: Sessions;
  limiter: RateLimiter;
  /** Returns whether an address may reach these operations; if absent, every address may. */
  isNear?: (ip: string) => boolean;
}

/**
 * Authenticates browsers by their cookie only. It ignores a key in the `Authorization` header, just as the customer API
 * ignores cookies.
 */
export class SessionGate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /**
   * Returns the session of a request and counts it against the limits; refuses a request without one unless `isPublic`.
   */
  async identify({ request, reply, ip, limit }: Arrival, isPublic: boolean): Promise<AdmittedPerson> {
    const { realm, config, limiter, sessions, isNear } = this.#parts;
    const network = clientNetwork(ip);
    reply.header('cache-control', 'no-store');
    if (isNear?.(ip) === false) {
      limit(limiter.takeVisitor(network));
      throw notFound();
    }
    try {
      requireOwnOrigin(config, request);
    } catch (error) {
      limit(limiter.takeVisitor(network));
      throw error;
    }
    const token = sessionCookie(realm, config, request);
    const found = token === undefined ? undefined : await sessions.find(token, realm);
    const session = found && (found.stage === 'signed_in' || isPublic) ? found : undefined;
    limit(session?.stage === 'signed_in' ? limiter.takeSession(session.id) : limiter.takeVisitor(network));
    if (!session && !isPublic) throw this.#refuse(request, reply, found);
    const { place = null } = session ?? {};
    const caller =
      session && place && session.stage === 'signed_in'
        ? {
            accountId: place.accountId,
            principal: { kind: 'person' as const, id: session.personId, sessionId: session.id },
            ip,
          }
        : undefined;
    return { ...(caller && { caller }), session, browser: new Browser(realm, config, request, reply) };
  }

  /** Refuses a request, and deletes a cookie that is no longer valid. */
  #refuse(request: FastifyRequest, reply: FastifyReply, found: ActiveSession | undefined): ApiError {
    const { realm, config } = this.#parts;
    if (!found && sessionCookie(realm, config, request) !== undefined)
      reply.header('set-cookie', dropCookie(realm, config, request));
    return new ApiError('session_required', 'Sign in first: you have no session, or it has expired.');
  }
}
