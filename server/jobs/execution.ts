import type { Transaction } from '../db/database.ts';
import { advanceJob, finishJob } from '../db/queries/jobs.ts';
import { systemFindVm, updateVm, type VmRow } from '../db/queries/vms.ts';
import { recordSystemEvent } from '../domain/vms/events.ts';
import type { JobContext, JobDefinition, Outcome } from './job.ts';
import { jobError } from './job-error.ts';
import { JOBS } from './kinds/index.ts';
import { settledStatus } from './settled-status.ts';

/** Why a job's signal aborts: it is not this node's any more. */
export class JobCanceled extends Error {}

/** Called around each step; lets a test kill or fail the process at an exact place. */
export type StepHook = (point: { kind: string; step: string; phase: 'before' | 'after' | 'undo' }) => void;

/** Times an undo is tried before it is left to the next round of adoption. */
const UNDO_ATTEMPTS = 3;

export interface ExecutionParts {
  /** The node that owns the job. */
  node: bigint;
  hook: StepHook;
  /** Whose signal the context has. */
  stop: AbortController;
}

/**
 * One run of a job that this node has claimed: each step and its bookkeeping, then one transaction that ends the job,
 * settles its money and frees the VM. A failure undoes the steps done, newest first.
 */
export class JobExecution {
  readonly context: JobContext;
  readonly #definition: JobDefinition;
  readonly #node: bigint;
  readonly #hook: StepHook;
  readonly #stop: AbortController;

  constructor(context: JobContext, { node, hook, stop }: ExecutionParts) {
    this.context = context;
    this.#definition = JOBS[context.job.kind];
    this.#node = node;
    this.#hook = hook;
    this.#stop = stop;
  }

  /** True when the job has ended here; false when it was cancelled, interrupted or left to be tried again. */
  async run(): Promise<boolean> {
    const { job, signal } = this.context;
    const definition = this.#definition;
    if (!job.undoing) {
      try {
        await this.#forward();
        return await this.#end('succeeded', (tx, vm, at) =>
          definition.succeeded(tx, { ...this.context, vm }, at),
        );
      } catch (error) {
        if (signal.aborted) return false;
        if (definition.persistent) return this.#retryLater(error);
        await this.#startUndo(error);
      }
    }
    if (!(await this.#undo())) return false;
    const observed = await settledStatus(this.context);
    return this.#end('failed', (tx, vm, at) => definition.failed(tx, { ...this.context, vm, observed }, at));
  }

  async #forward(): Promise<void> {
    const { job, signal } = this.context;
    const { steps } = this.#definition;
    const { length } = steps;
    for (let step = job.step; step < length; step++) {
      const { name, run } = steps[step]!;
      signal.throwIfAborted();
      this.#hook({ kind: job.kind, step: name, phase: 'before' });
      await run(this.context);
      this.#hook({ kind: job.kind, step: name, phase: 'after' });
      // What follows the last step is the end of the job, which is bookkeeping enough.
      if (step + 1 === length) return;
      const progress = Math.floor(((step + 1) * 100) / length);
      await this.#advance({ step: step + 1, undoing: false, progress });
    }
  }

  /** Bookkeeping of a step. Losing the job (cancelled, or taken by another node) ends this run. */
  async #advance(state: Parameters<typeof advanceJob>[2]): Promise<void> {
    const { job, services } = this.context;
    if (!(await advanceJob(services.db, { id: job.id, owner: this.#node }, state))) {
      this.#stop.abort(new JobCanceled());
      throw new JobCanceled();
    }
    job.step = state.step;
    job.undoing = state.undoing;
  }

  async #startUndo(error: unknown): Promise<void> {
    const { job, services } = this.context;
    services.logger.warn(
      { err: error, job_id: job.id, vm_id: job.vm_id, kind: job.kind, step: job.step },
      'job failed',
    );
    // The failing step may have done half of its work, so it is undone too.
    const step = Math.min(job.step + 1, this.#definition.steps.length);
    await this.#advance({ step, undoing: true, progress: job.progress, error: jobError(error) });
  }

  /** True when everything is undone; false when it was interrupted or is left to be tried again. */
  async #undo(): Promise<boolean> {
    const { job, services, signal } = this.context;
    for (let left = job.step; left > 0; left--) {
      const step = this.#definition.steps[left - 1]!;
      for (let attempt = 1; ; attempt++) {
        if (signal.aborted) return false;
        try {
          this.#hook({ kind: job.kind, step: step.name, phase: 'undo' });
          await step.undo?.(this.context);
          break;
        } catch (error) {
          services.logger.error({ err: error, job_id: job.id, step: step.name, attempt }, 'undo failed');
          if (attempt === UNDO_ATTEMPTS) return false;
        }
      }
      await this.#advance({ step: left - 1, undoing: true, progress: job.progress });
    }
    return true;
  }

  /** Nothing to undo and no way back: adoption takes it up again on its next round. */
  #retryLater(error: unknown): false {
    const { job, services } = this.context;
    services.logger.error(
      { err: error, job_id: job.id, vm_id: job.vm_id, kind: job.kind },
      'job will be tried again',
    );
    return false;
  }

  /**
   * One transaction: the job's end, its money, the VM's state and the event that tells of it. False when the
   * job is no longer ours.
   */
  async #end(
    status: 'succeeded' | 'failed',
    settle: (tx: Transaction, vm: VmRow, at: Date) => Promise<Outcome>,
  ): Promise<boolean> {
    const { job, services } = this.context;
    const { db, clock, metrics, signals } = services;
    const at = clock.now();
    const ended = await db.transaction(async (tx) => {
      const vm = await systemFindVm(tx, job.vm_id, true);
      if (!vm || !(await finishJob(tx, { id: job.id, owner: this.#node }, status, at))) return false;
      const outcome = await settle(tx, vm, at);
      await updateVm(tx, vm.id, { ...outcome.change, active_job_id: null, last_job_id: job.id }, at);
      const failure = {
        type: 'job.failed',
        message: `The ${job.kind} job failed.`,
        metadata: { kind: job.kind },
      };
      const event = outcome.event ?? (status === 'failed' ? failure : undefined);
      if (event) await recordSystemEvent(tx, clock, job, status === 'failed' ? 'error' : 'info', event);
      await signals.vmChanged(tx, vm.id);
      return true;
    });
    if (ended) metrics.jobFinished(job.kind, status);
    return ended;
  }
}
