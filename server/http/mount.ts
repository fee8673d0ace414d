import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/principal.ts';
import type { LimitState } from '../access/rate-limits.ts';
import type { Endpoint } from './endpoint.ts';
import type { Actor } from './on-record.ts';
import type { CommonServices } from './services.ts';

/** An incoming request before its body is read. */
export interface Arrival {
  request: FastifyRequest;
  reply: FastifyReply;
  /** The client's address, as seen through the configured proxies. */
  ip: string;
  /** Writes the state of a limit to the reply's headers. Throws if the limit is exceeded. */
  limit: (state: LimitState) => void;
}

/** The result of identifying a caller. */
export interface Admitted {
  /** Absent for operations that need no caller. */
  caller?: Caller;
}

/** The state of a request in progress. */
export interface RequestContext extends Admitted {
  idempotencyKey?: string | undefined;
}

/** Endpoints under one prefix, and who calls them. Everything else about answering a request is in `answer.ts`. */
export interface Mount {
  /** Prefix of the paths of all its endpoints, such as "/panel/api"; may be empty. */
  prefix: string;
  endpoints: readonly Endpoint[];
  /** Maximum body size in bytes of endpoints that have none of their own; the server's if absent. */
  bodyLimit?: number;
  /** Handed to the handlers. */
  services: CommonServices;
  /** Returns what handlers get of the caller besides `caller`. */
  particulars?(admitted: Admitted): object;
  /** Returns who acts, for the record of an operator's change. */
  actor?(admitted: Admitted, request: FastifyRequest): Actor | Promise<Actor>;
}

/** A mount of a server that strangers can reach. */
export interface GuardedMount extends Mount {
  /**
   * Identifies the caller and applies limits; throws to refuse. `endpoint` is absent if no route matches the path.
   */
  identify(arrival: Arrival, endpoint: Endpoint | undefined): Promise<Admitted>;
  /** Throws if the caller may not perform the operation. */
  authorize(admitted: Admitted, endpoint: Endpoint): void;
}
