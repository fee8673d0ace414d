import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/principal.ts';
import type { LimitState } from '../access/rate-limits.ts';
import type { AnyOperation } from './operation.ts';
import type { InputChecks } from './validation.ts';

/** An operation as a mount serves it; the pipeline reads what its definition says of keys, limits and bodies. */
export interface Mounted extends AnyOperation {
  idempotent?: true;
  bodyLimit?: number;
}

/** A request on its way in, before its body is read. */
export interface Arrival {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Where it comes from, as seen through the configured proxies. */
  ip: string;
  /** Tells the caller how a limit stands, and throws where it is exceeded. */
  limit: (state: LimitState) => void;
}

/** An operation at its place. */
export interface MountedRoute {
  endpoint: Mounted;
  checks: InputChecks;
}

/** Who was let in. */
export interface Admitted {
  /** Absent where an operation asks for none. */
  caller?: Caller;
}

/**
 * A roster of endpoints below one prefix, and how their caller is found: the strategy by which the one pipeline serves
 * keys and sessions alike.
 */
export interface Mount {
  /** What stands before the paths of all its endpoints, such as "/panel/api"; "" for nothing. */
  prefix: string;
  endpoints: readonly Mounted[];
  /** Who calls, within their limits, or a throw. `endpoint` is absent where no route takes the path. */
  identify(arrival: Arrival, endpoint: Mounted | undefined): Promise<Admitted>;
  /** Throws where the caller may not do what the endpoint does. */
  authorize(admitted: Admitted, endpoint: Mounted, request: FastifyRequest): void;
  /**
   * Answers in place of the pipeline, for endpoints whose handlers open their transactions themselves. The request was
   * admitted, and its body read.
   */
  answer?(
    admitted: Admitted,
    request: FastifyRequest,
    reply: FastifyReply,
    route: MountedRoute,
  ): Promise<unknown>;
  /** What handlers are given besides what all are. */
  particulars?(admitted: Admitted, request: FastifyRequest): object;
}
