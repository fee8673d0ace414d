import type { ComputeDriver } from '../compute/driver.ts';
import type { Transaction } from '../db/database.ts';
import type { JobRow } from '../db/queries/jobs.ts';
import type { VmChange, VmRow } from '../db/queries/vms.ts';
import type { VmStatus } from '../domain/vms/states.ts';
import type { Services } from '../services.ts';

/** What a step works with. Rows are as they were when the job was taken. */
export interface JobContext {
  job: JobRow;
  vm: VmRow;
  compute: ComputeDriver;
  services: Services;
  /** Aborts when the job is cancelled or the node shuts down. */
  signal: AbortSignal;
}

/** What the end of a failed job works with. */
export interface FailureContext extends JobContext {
  /** The state the guest is really in; asked before the transaction, where no driver is called. */
  observed: VmStatus;
}

/**
 * One step of a job. `run` may be called again after a crash in its middle or after its success, and must
 * converge; so must `undo`, which is also called for a step that failed half-way.
 */
export interface Step {
  name: string;
  run(context: JobContext): Promise<void>;
  undo?(context: JobContext): Promise<void>;
}

/**
 * How a kind of job is done. `succeeded` and `failed` run in the transaction that ends the job, with the VM
 * as it is then.
 */
export interface JobDefinition {
  steps: readonly Step[];
  /** Never given up: a failing step is tried again until it works, and nothing is undone. */
  persistent?: true;
  succeeded(tx: Transaction, context: JobContext, at: Date): Promise<Outcome>;
  failed(tx: Transaction, context: FailureContext, at: Date): Promise<Outcome>;
}

/** What the end of a job makes of its VM, and how the event log tells it. */
export interface Outcome {
  change: VmChange;
  event?: { type: string; message: string; metadata?: Record<string, unknown> };
}

/** Why a job failed: what its `error` shows. */
export interface JobError {
  code: string;
  message: string;
}
