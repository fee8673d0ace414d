import type { ComputeDriver } from '../compute/driver.ts';
import type { Database, Transaction } from '../db/database.ts';
import type { JobRow } from '../db/queries/jobs.ts';
import type { VmChange, VmRow } from '../db/queries/vms.ts';
import type { Signals } from '../db/signals.ts';
import type { JobOrder } from '../domain/billing/vm-orders.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import type { EventText } from '../domain/vms/events.ts';
import type { JobPublisher } from '../domain/vms/job-publisher.ts';
import type { VmStatus } from '../domain/vms/states.ts';
import type { OpsKeys } from '../guest-ssh/ops-keys.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { NetworkReconciler } from './reconcilers/reconcile-network.ts';

/** What a job needs of the service, besides the engine as it may use it. */
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

/** What a step works with. Rows are as they were when the job was taken. */
export interface JobContext {
  job: JobRow;
  vm: VmRow;
  /** Changes a guest only as long as the job is this node's. */
  compute: ComputeDriver;
  services: JobServices;
  /** Aborts when the job is cancelled or the node shuts down. */
  signal: AbortSignal;
  /** Throws unless the job is still this node's: for a change that is not made by `compute`. */
  fence(): Promise<void>;
}

/** What the end of a job that succeeded works with: the VM and the order as they are then. */
export interface SuccessContext extends JobContext {
  order: JobOrder;
}

/** What the end of a failed job works with. */
export interface FailureContext {
  job: JobRow;
  vm: VmRow;
  order: JobOrder;
  services: { clock: Clock; catalog: Catalog };
  /** The state the guest is really in; asked before the transaction, where no driver is called. */
  observed: VmStatus;
  /** Not everything could be undone, so that something may be left on the engine. */
  abandoned: boolean;
}

/**
 * One step of a job. `run` may be called again after a crash in its middle or after its success, and must
 * converge; so must `undo`, which is also called for a step that failed half-way.
 */
export interface Step {
  name: string;
  /** Most of its time, and of its undo's, goes by in waiting for a guest: it takes up no slot of the runner. */
  waits?: true;
  /** From here on there is no way back: where it fails it is tried again. Only the last step may be so. */
  final?: true;
  run(context: JobContext): Promise<void>;
  undo?(context: JobContext): Promise<void>;
}

/**
 * How a kind of job is done. `succeeded` and `failed` run in the transaction that ends the job, with the VM
 * as it is then.
 */
export interface JobDefinition {
  steps: readonly Step[];
  /** There is no way back: a failing step is tried again, and nothing is undone. */
  persistent?: true;
  succeeded(tx: Transaction, context: SuccessContext, at: Date): Promise<Outcome>;
  failed(tx: Transaction, context: FailureContext, at: Date): Promise<Outcome>;
}

/** What the end of a job makes of its VM, and how the event log tells it. */
export interface Outcome {
  change: VmChange;
  event?: EventText;
}

/** Every code that the `error` of a job can have. */
export const JOB_ERROR_CODES = [
  'compute_unavailable',
  'capacity_unavailable',
  'unknown_template',
  'guest_shutdown_timeout',
  'guest_agent_unavailable',
  'disk_shrink_not_supported',
  'timed_out',
  'abandoned',
  'internal_error',
] as const;

/** Why a job failed: what its `error` shows. */
export interface JobError {
  code: (typeof JOB_ERROR_CODES)[number];
  message: string;
}
