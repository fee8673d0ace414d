import type { ComputeDriver } from '../compute/driver.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import type { Signals } from '../db/signals.ts';
import type { DocumentRenderer } from '../documents/renderer.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import type { JobPublisher } from '../domain/vms/job-publisher.ts';
import type { EdgeDriver } from '../edge/driver.ts';
import type { OpsKeys } from '../guest-ssh/ops-keys.ts';
import type { AnyOperation, InputsOf, OperationDefinition, Result } from '../http/operation.ts';
import type { GuestReconciler } from '../jobs/reconcilers/reconcile-guests.ts';
import type { Payments } from '../payments/payments.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { TObject } from '../platform/schema.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { EdgeReconciler } from '../shield/reconcile-edge.ts';

/** What the operator's operations need of the service. */
export interface OperatorServices {
  catalog: Catalog;
  clock: Clock;
  compute: ComputeDriver;
  config: Config;
  db: Database;
  documents: DocumentRenderer;
  edge: EdgeDriver;
  engine: string;
  guests: GuestReconciler;
  logger: Logger;
  metrics: Metrics;
  /** Where the panel is, and where operators sign in. */
  site: { panelUrl: string; operatorUrl: string };
  opsKeys: OpsKeys;
  secrets: SecretBox;
  payments: Payments;
  queue: JobPublisher;
  shield: EdgeReconciler;
  signals: Signals;
}

/** The groups of operations. */
export type OperatorTag = 'account' | 'key' | 'money' | 'vm' | 'job' | 'shield' | 'host' | 'service';

/** What a handler is given. It opens its transactions itself: the record of the request is outside of them. */
export interface OperatorContext<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** Who asks, such as "root" or "anna as root"; "" where the operation only reads. */
  actor: string;
  services: OperatorServices;
}

/** A reply that is a file of any length, read no faster than it is sent; one that fails midway is cut off. */
export interface FileContent {
  content: AsyncIterable<Buffer>;
}

/**
 * One operation of the operator's API. There is no key: a process that may open the socket may do everything. What
 * changes something is a POST, and on record with who did it.
 */
export interface OperatorEndpointDefinition<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
> extends OperationDefinition<P, Q, B, 'GET' | 'POST'> {
  tag: OperatorTag;
  /** Media type of a reply that is a file; `data` is the schema of a line of it. */
  file?: 'application/gzip' | 'application/x-ndjson' | 'text/csv';
  handle(context: OperatorContext<InputsOf<P>, InputsOf<Q>, InputsOf<B>>): Promise<Result | FileContent>;
}

/** Some endpoint of the operator's. */
export interface OperatorEndpoint extends AnyOperation {
  method: 'GET' | 'POST';
  tag: OperatorTag;
  file?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the schemas say at run time what the inputs are
  handle(context: OperatorContext<any, any, any>): Promise<Result | FileContent>;
}

/** Declares an endpoint of the operator's; exists so that the types of the schemas reach `handle`. */
export function operatorEndpoint<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
>(definition: OperatorEndpointDefinition<P, Q, B>): OperatorEndpointDefinition<P, Q, B> {
  return definition;
}
