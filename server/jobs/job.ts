import type { ComputeDriver } from '../compute/driver.ts';
import type { Database, Transaction } from '../db/database.ts';
import type { JobRow } from '../db/queries/service/jobs.ts';
import type { VmChange, VmRow } from '../db/queries/vms/vms.ts';
import type { Signals } from '../db/signals.ts';
import type { JobOrder } from '../domain/billing/vm-orders.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import type { EventText } from '../domain/vms/events.ts';
import type { JobPublisher } from '../domain/vms/job-publisher.ts';
import type { JobErrorCode, VmStatus } from '../domain/vms/states.ts';
import type { OpsKeys } from '../guest-ssh/ops-keys.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { NetworkReconciler } from './reconcilers/reconcile-network.ts';

/** The services that jobs use. The engine is not among them: a job gets it in its context, behind the fence. */
export interface JobServices {
  catalog: Catalog;
  clock: Clock;
  db: Database;
  engine: string;
  logger: Logger;
  metrics: Metrics;
  network: NetworkReconciler;
  opsKeys: OpsKeys;
  queue: JobPublisher;
  secrets: SecretBox;
  signals: Signals;
}

/** Input of a step. Rows are as they were when the job was claimed. */
export interface JobContext {
  job: JobRow;
  vm: VmRow;
  /** Changes a guest only while the job belongs to this node. */
  compute: ComputeDriver;
  services: JobServices;
  signal: AbortSignal;
  /** Throws unless the job still belongs to this node. For changes that do not go through `compute`. */
  fence(): Promise<void>;
}

/** Input for ending a job that succeeded, with the VM and the order as they are at that time. */
export interface SuccessContext extends JobContext {
  order: JobOrder;
}

export interface FailureContext {
  job: JobRow;
  vm: VmRow;
  order: JobOrder;
  services: { clock: Clock; catalog: Catalog };
  /** The guest's real state, read before the transaction because no driver is called inside one. */
  observed: VmStatus;
  /** Not everything could be undone, so something may be left on the engine. */
  abandoned: boolean;
}

/**
 * One step of a job. `run` may be called again after a crash in the middle or after its success, and must converge; so
 * must `undo`, which is also called for a step that failed halfway.
 */
export interface Step {
  name: string;
  /** The step and its undo mostly wait for a guest, so they take up no slot of the runner. */
  waits?: true;
  /** From here on the job cannot be undone: a failure is retried. Only the last step may be final. */
  final?: true;
  run(context: JobContext): Promise<void>;
  undo?(context: JobContext): Promise<void>;
}

/**
 * Definition of one kind of job. `succeeded` and `failed` run in the transaction that ends the job, with the VM as it
 * is at that time.
 */
export interface JobDefinition {
  steps: readonly Step[];
  /** The job cannot be undone: a failing step is retried. */
  persistent?: true;
  succeeded(tx: Transaction, context: SuccessContext, at: Date): Promise<Outcome>;
  failed(tx: Transaction, context: FailureContext, at: Date): Promise<Outcome>;
}

export interface Outcome {
  change: VmChange;
  event?: EventText;
}

/** Shown as a job's `error`. */
export interface JobError {
  code: JobErrorCode;
  message: string;
}
