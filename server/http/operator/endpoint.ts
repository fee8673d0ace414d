import type { ComputeDriver } from '../../compute/driver.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../db/database.ts';
import type { Signals } from '../../db/signals.ts';
import type { DocumentRenderer } from '../../documents/renderer.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import type { JobPublisher } from '../../domain/vms/job-publisher.ts';
import type { EdgeDriver } from '../../edge/driver.ts';
import type { OpsKeys } from '../../guest-ssh/ops-keys.ts';
import type { GuestReconciler } from '../../jobs/reconcilers/reconcile-guests.ts';
import type { Payments } from '../../payments/payments.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { TObject } from '../../platform/schema.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { EdgeReconciler } from '../../shield/reconcile-edge.ts';
import type { AnyOperation, InputsOf, OperationDefinition, Result } from '../operation.ts';

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
  /** URLs of the panel and of the operators' sign-in. */
  site: { panelUrl: string; operatorUrl: string };
  opsKeys: OpsKeys;
  secrets: SecretBox;
  payments: Payments;
  queue: JobPublisher;
  shield: EdgeReconciler;
  signals: Signals;
}

export type OperatorTag = 'account' | 'key' | 'money' | 'vm' | 'job' | 'shield' | 'host' | 'service';

/** A handler's input. The handler opens its own transactions, because the request is recorded outside of them. */
export interface OperatorContext<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** The operator's name, such as "root" or "anna as root"; empty if the operation only reads. */
  actor: string;
  services: OperatorServices;
}

/**
 * A reply that is a file of any length, read no faster than it is sent; if reading fails midway, the file is cut off.
 */
export interface FileContent {
  content: AsyncIterable<Buffer>;
}

/**
 * An operation of the operator API. There is no key: a process that may open the socket may do everything. An operation
 * that changes something is a POST, and is recorded with its actor.
 */
export interface OperatorEndpointDefinition<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
> extends OperationDefinition<P, Q, B, 'GET' | 'POST'> {
  tag: OperatorTag;
  /** Media type of a reply that is a file; `data` is then the schema of each line. */
  file?: 'application/gzip' | 'application/x-ndjson' | 'text/csv';
  handle(context: OperatorContext<InputsOf<P>, InputsOf<Q>, InputsOf<B>>): Promise<Result | FileContent>;
}

export interface OperatorEndpoint extends AnyOperation {
  method: 'GET' | 'POST';
  tag: OperatorTag;
  file?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the schemas say at run time what the inputs are
  handle(context: OperatorContext<any, any, any>): Promise<Result | FileContent>;
}

/** Declares an operator endpoint; exists so that the schemas' types reach `handle`. */
export function operatorEndpoint<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
>(definition: OperatorEndpointDefinition<P, Q, B>): OperatorEndpointDefinition<P, Q, B> {
  return definition;
}
