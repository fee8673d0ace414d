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

/** What the handlers of endpoints may use. */
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

/** What a handler is given. `db` is an open transaction in every endpoint that is not a GET. */
export interface Context<P, Q, B, R, D extends Queryable, A = undefined> {
  caller: Caller;
  params: P;
  query: Q;
  body: B;
  /** What `load` returned. */
  resource: R;
  /** What `prepare` returned. */
  prepared: A;
  db: D;
  services: EndpointServices;
  /** The instant of this request: one request sees one time. */
  now: Date;
  /** Where the caller reached us, such as "https://cloud.example": the beginning of URLs that are handed out. */
  baseUrl: () => string;
  /** Aborts when the caller hangs up or the service shuts down: a waiting handler then answers at once. */
  hangUp: () => AbortSignal;
  /** The media type to answer in: JSON, or one of the endpoint's `representations`. */
  representation: string;
}

/** A reply that is a stream of server-sent events, begun when the transaction has committed. */
export interface StreamedResult {
  stream: () => Readable;
}

/** A reply that is a file, in one of the endpoint's `representations`. */
export interface FileResult {
  file: { bytes: Buffer; type: string; name: string };
}

/**
 * One operation of the customers' API: who may call it, what a call costs and keeps, and what it does. The pipeline does
 * the rest in the contract's order: key and IP, limits, scope, Idempotency-Key, body, stored reply, `load` (404), schemas
 * (422), `handle`.
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
  /** Idempotency-Key is required and the reply is stored and replayed. */
  idempotent?: true;
  /** The reply holds a secret: never cached by anyone, encrypted where it is stored. */
  secret?: true;
  /** Largest body in bytes; 16 KiB when absent. */
  bodyLimit?: number;
  /** The reply is a stream of server-sent events; `data` is the schema of the `data` of each. */
  streams?: true;
  /** Media types that it answers in besides JSON, to a caller whose `Accept` prefers them. */
  representations?: readonly string[];
  /** Schemas of further members beside `data`. */
  beside?: Record<string, TSchema>;
  errors: readonly CustomerErrorCode[];
  example: unknown;
  /**
   * Asks the compute driver what the operation needs to know, before its transaction opens: a driver is
   * never called inside one, for it may be slow, and locks would be held meanwhile. Runs before validation
   * and must not refuse; what it found is judged in `handle`.
   */
  prepare?: (context: {
    caller: Caller;
    params: InputsOf<P>;
    body: Record<string, unknown>;
    services: EndpointServices;
  }) => Promise<A>;
  /** Finds the resource in the path, for the caller's account only, or throws `not_found`. */
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

// The roster holds endpoints of every shape; the pipeline checks shapes at run time by their schemas.
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
