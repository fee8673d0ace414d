import type { Readable } from 'node:stream';
import type { Caller } from '../access/principal.ts';
import type { Scope } from '../access/scopes.ts';
import type { AgentRuns } from '../agent/agent-runs.ts';
import type { ComputeDriver } from '../compute/driver.ts';
import type { Config } from '../config/config.ts';
import type { Database, Queryable, Transaction } from '../db/database.ts';
import type { Signals } from '../db/signals.ts';
import type { DocumentRenderer } from '../documents/renderer.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import type { JobPublisher } from '../domain/vms/job-publisher.ts';
import type { EdgeDriver } from '../edge/driver.ts';
import type { OpsKeys } from '../guest-ssh/ops-keys.ts';
import type { ForwardReconciler } from '../jobs/reconcilers/reconcile-forwards.ts';
import type { NetworkReconciler } from '../jobs/reconcilers/reconcile-network.ts';
import type { Clock } from '../platform/clock.ts';
import type { CustomerErrorCode } from '../platform/errors.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { TObject, TSchema } from '../platform/schema.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { EdgeReconciler } from '../shield/reconcile-edge.ts';
import type { InputsOf, Method, OperationDefinition, Result } from './operation.ts';

export type { Caller };

/** Services available to the handlers of endpoints. */
export interface EndpointServices {
  agent: AgentRuns;
  catalog: Catalog;
  clock: Clock;
  compute: ComputeDriver;
  config: Config;
  db: Database;
  documents: DocumentRenderer;
  edge: EdgeDriver;
  engine: string;
  forwards: ForwardReconciler;
  logger: Logger;
  metrics: Metrics;
  network: NetworkReconciler;
  opsKeys: OpsKeys;
  queue: JobPublisher;
  secrets: SecretBox;
  shield: EdgeReconciler;
  signals: Signals;
}

export type Tag = 'catalog' | 'vm' | 'sshkey' | 'billing' | 'shield';

/** Input of a handler. `db` is an open transaction in every endpoint that is not a GET. */
export interface Context<P, Q, B, R, D extends Queryable, A = undefined> {
  caller: Caller;
  params: P;
  query: Q;
  body: B;
  /** The result of `load`. */
  resource: R;
  /** The result of `prepare`. */
  prepared: A;
  db: D;
  services: EndpointServices;
  /** The time of this request, which does not change while it is processed. */
  now: Date;
  /**
   * The address at which the caller reached the service, such as "https://cloud.example": the base of returned URLs.
   */
  baseUrl: () => string;
  /** Aborts when the caller disconnects or the service shuts down; a waiting handler then answers at once. */
  hangUp: () => AbortSignal;
  /** The media type of the reply: JSON, or one of the endpoint's `representations`. */
  representation: string;
}

/** A reply as a stream of server-sent events, which starts when the transaction has committed. */
export interface StreamedResult {
  stream: () => Readable;
}

/** A reply as a file, in one of the endpoint's `representations`. */
export interface FileResult {
  file: { bytes: Buffer; type: string; name: string };
}

/**
 * An operation of the customers' API: who may call it, what it costs and stores, and what it does. The pipeline does
 * the rest in the contract's order: key and IP, limits, scope, Idempotency-Key, body, stored reply, `load` (404),
 * schemas (422), `handle`.
 */
export interface EndpointDefinition<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
  R = undefined,
  M extends Method = Method,
  A = undefined,
> extends OperationDefinition<P, Q, B, M> {
  scope: Scope;
  tag: Tag;
  /** Requires an Idempotency-Key; the reply is stored and replayed. */
  idempotent?: true;
  /** The reply contains a secret: it must not be cached, and is stored encrypted. */
  secret?: true;
  /** Maximum body size in bytes; 64 KiB if absent. */
  bodyLimit?: number;
  /** The reply is a stream of server-sent events; `data` is the schema of each event's `data`. */
  streams?: true;
  /** Media types available besides JSON, for callers whose `Accept` prefers them. */
  representations?: readonly string[];
  /** Schemas of further members next to `data`. */
  beside?: Record<string, TSchema>;
  errors: readonly CustomerErrorCode[];
  example: unknown;
  /**
   * Asks the compute driver for information that the operation needs, before its transaction opens: a driver call
   * inside the transaction could be slow and would hold its locks. Runs before validation and must not refuse;
   * `handle` judges the result.
   */
  prepare?: (context: {
    caller: Caller;
    params: InputsOf<P>;
    body: Record<string, unknown>;
    services: EndpointServices;
  }) => Promise<A>;
  /** Finds the resource in the path, within the caller's account only. Throws `not_found` otherwise. */
  load?: (context: {
    caller: Caller;
    params: InputsOf<P>;
    db: Queryable;
    services: EndpointServices;
  }) => Promise<R>;
  handle(
    context: Context<InputsOf<P>, InputsOf<Q>, InputsOf<B>, R, M extends 'GET' ? Queryable : Transaction, A>,
  ): Promise<Result | StreamedResult | FileResult>;
}

// The list holds endpoints of every shape; the pipeline checks shapes at run time with their schemas.
// biome-ignore lint/suspicious/noExplicitAny: existential type of "some endpoint"
export type Endpoint = EndpointDefinition<any, any, any, any, any, any>;

/** Declares an endpoint; exists so that the types of the schemas reach `handle`. */
export function endpoint<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
  R = undefined,
  const M extends Method = Method,
  A = undefined,
>(definition: EndpointDefinition<P, Q, B, R, M, A>): EndpointDefinition<P, Q, B, R, M, A> {
  return definition;
}
