import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/principal.ts';
import type { LimitState } from '../access/rate-limits.ts';
import type { AnyOperation } from './operation.ts';
import type { InputChecks } from './validation.ts';

/** An operation as a mount serves it, with the parts of its definition that the pipeline reads. */
export interface Mounted extends AnyOperation {
  idempotent?: true;
  bodyLimit?: number;
}

/** An incoming request before its body is read. */
export interface Arrival {
  request: FastifyRequest;
  reply: FastifyReply;
  /** The client's address, as seen through the configured proxies. */
  ip: string;
  /** Writes the state of a limit to the reply's headers. Throws if the limit is exceeded. */
  limit: (state: LimitState) => void;
}

export interface MountedRoute {
  endpoint: Mounted;
  checks: InputChecks;
}

/** The result of identifying a caller. */
export interface Admitted {
  /** Absent for operations that need no caller. */
  caller?: Caller;
}

/**
 * A list of endpoints under one prefix, with a way to identify their callers. It lets the one pipeline serve both
 * keys and sessions.
 */
export interface Mount {
  /** Prefix of the paths of all its endpoints, such as "/panel/api"; may be empty. */
  prefix: string;
  endpoints: readonly Mounted[];
  /**
   * Identifies the caller and applies limits; throws to refuse. `endpoint` is absent if no route matches the path.
   */
  identify(arrival: Arrival, endpoint: Mounted | undefined): Promise<Admitted>;
  /** Throws if the caller may not perform the operation. */
  authorize(admitted: Admitted, endpoint: Mounted, request: FastifyRequest): void;
  /**
   * Answers in place of the pipeline, for endpoints whose handlers open transactions themselves. The request has been
   * admitted and its body read.
   */
  answer?(
    admitted: Admitted,
    request: FastifyRequest,
    reply: FastifyReply,
    route: MountedRoute,
  ): Promise<unknown>;
  /** Returns this mount's additional input for handlers. */
  particulars?(admitted: Admitted, request: FastifyRequest): object;
}
