import { ComputeUnavailableError } from '../compute/driver.ts';
import { DatabaseAwayError, type Transaction } from '../db/database.ts';
import { isOnLostHost } from '../db/queries/hosts/hosts.ts';
import {
  advanceJob,
  confirmJob,
  finishJob,
  type Ownership,
  type Retry,
} from '../db/queries/service/owned-jobs.ts';
import { systemFindVm, type VmRow } from '../db/queries/vms/vms.ts';
import { type JobOrder, lockOrderOf } from '../domain/billing/vm-orders.ts';
import { mostAttempts, nextAttempt } from './attempts.ts';
import { JOBS } from './definitions/index.ts';
import { abandon, settleVm } from './end-job.ts';
import type { JobContext, JobDefinition, Outcome, Step } from './job.ts';
import { jobError } from './job-error.ts';
import { observeVmStatus } from './observe-vm-status.ts';
import type { Slot } from './slots.ts';

/** Abort reason of a job's signal: the job no longer belongs to this node. */
export class JobCanceled extends Error {}

/** Called around each step; lets a test kill, fail or hold the process at an exact point. */
export type StepHook = (point: {
  kind: string;
  step: string;
  phase: 'before' | 'after' | 'undo';
}) => void | Promise<void>;

/** `ended` is false if the job was left, to be retried as `retry` says or to be taken up elsewhere. */
export type Result = { ended: true } | { ended: false; retry?: Retry };

const ENDED: Result = { ended: true };
const LEFT: Result = { ended: false };

export interface ExecutionParts {
  ownership: Ownership;
  slot: Slot;
  hook: StepHook;
  /** Controls the context's signal. */
  stop: AbortController;
}

/**
 * One run of a job that this node has claimed: performs and records each step, then ends the job, settles its money and
 * frees the VM in one transaction. A failure undoes the completed steps, newest first. A failure during the undo is
 * retried later; after too many failures the job is given up.
 */
export class JobExecution {
  readonly context: JobContext;
  readonly #definition: JobDefinition;
  readonly #parts: ExecutionParts;

  constructor(context: JobContext, parts: ExecutionParts) {
    this.context = context;
    this.#definition = JOBS[context.job.kind];
    this.#parts = parts;
  }

  /** Never rejects. */
  async run(): Promise<Result> {
    try {
      return (await this.#attempt()) ? ENDED : LEFT;
    } catch (error) {
      // An unreachable database says nothing about the job, which continues from this step once the database can be reached again.
      const interrupted = this.context.signal.aborted || error instanceof DatabaseAwayError;
      return interrupted ? LEFT : this.#failedAttempt(error);
    }
  }

  /**
   * Returns true if the job has ended here, false if it was cancelled or interrupted. Throws errors that call for a
   * retry.
   */
  async #attempt(): Promise<boolean> {
    const { job, signal } = this.context;
    const definition = this.#definition;
    if (!job.undoing) {
      try {
        await this.#forward();
        return await this.#end('succeeded', (tx, ended, at) =>
          definition.succeeded(tx, { ...this.context, ...ended }, at),
        );
      } catch (error) {
        if (signal.aborted) return false;
        if (!this.#hasWayBack || error instanceof DatabaseAwayError) throw error;
        await this.#startUndo(error);
      }
    }
    await this.#undo();
    const observed = await observeVmStatus(this.context);
    return this.#end('failed', (tx, ended, at) =>
      definition.failed(tx, { ...this.context, ...ended, observed, abandoned: false }, at),
    );
  }

  /** True if a failure at the job's current position is undone rather than retried. */
  get #hasWayBack(): boolean {
    const { persistent, steps } = this.#definition;
    const { step, undoing } = this.context.job;
    return undoing || !(persistent || steps[step]?.final);
  }

  async #forward(): Promise<void> {
    const { job } = this.context;
    const { steps } = this.#definition;
    const { length } = steps;
    for (let index = job.step; index < length; index++) {
      const step = steps[index]!;
      await this.#perform(step, async () => {
        await this.#parts.hook({ kind: job.kind, step: step.name, phase: 'before' });
        await step.run(this.context);
        await this.#parts.hook({ kind: job.kind, step: step.name, phase: 'after' });
      });
      // The end of the job follows and records the last step.
      if (index + 1 === length) return;
      const progress = Math.floor(((index + 1) * 100) / length);
      await this.#advance({ step: index + 1, undoing: false, progress });
    }
  }

  /** Performs a step; a step that mostly waits runs without a slot. */
  async #perform({ waits }: Step, work: () => Promise<void>): Promise<void> {
    const { signal } = this.context;
    signal.throwIfAborted();
    if (waits) await this.#parts.slot.without(work, signal);
    else await work();
  }

  /** Records a completed step. Losing the job (cancelled, or taken by another node) ends this run. */
  async #advance(state: Parameters<typeof advanceJob>[2]): Promise<void> {
    const { job, services } = this.context;
    if (!(await advanceJob(services.db, this.#parts.ownership, state))) {
      this.#parts.stop.abort(new JobCanceled());
      throw new JobCanceled();
    }
    job.step = state.step;
    job.undoing = state.undoing;
    job.attempts = 0;
  }

  async #startUndo(error: unknown): Promise<void> {
    const { job, services } = this.context;
    services.logger.warn(
      { err: error, job_id: job.id, vm_id: job.vm_id, kind: job.kind, step: job.step },
      'job failed',
    );
    // The failing step may have done half of its work, so it is undone as well.
    const step = Math.min(job.step + 1, this.#definition.steps.length);
    await this.#advance({ step, undoing: true, progress: job.progress, error: jobError(error) });
  }

  async #undo(): Promise<void> {
    const { job } = this.context;
    for (let left = job.step; left > 0; left--) {
      const step = this.#definition.steps[left - 1]!;
      await this.#perform(step, async () => {
        await this.#parts.hook({ kind: job.kind, step: step.name, phase: 'undo' });
        await step.undo?.(this.context);
      });
      await this.#advance({ step: left - 1, undoing: true, progress: job.progress });
    }
  }

  /**
   * Handles a failure that cannot be undone right now: schedules a retry, or gives the job up after too many failures.
   */
  async #failedAttempt(error: unknown): Promise<Result> {
    const { job, services } = this.context;
    // If a host, or the whole engine, is unreachable, the job waits until it is back, however long that takes.
    const isLost =
      (await isOnLostHost(services.db, job.vm_id).catch(() => true)) || (await this.#isEngineAway());
    if (isLost)
      return { ended: false, retry: { ...nextAttempt(1, services.clock.now()), attempts: job.attempts } };
    const retry = nextAttempt(job.attempts + 1, services.clock.now());
    const { attempts } = retry;
    const facts = { job_id: job.id, vm_id: job.vm_id, kind: job.kind, step: job.step, attempts };
    services.metrics.jobAttemptFailed(job.kind);
    if (attempts < mostAttempts(this.#hasWayBack)) {
      services.logger.error({ err: error, ...facts, next_attempt_at: retry.at }, 'job will be tried again');
      return { ended: false, retry };
    }
    try {
      if (await this.#abandon(error, attempts))
        services.logger.error({ err: error, ...facts }, 'job given up');
      return LEFT;
    } catch (cause) {
      services.logger.error(
        { err: cause, ...facts, next_attempt_at: retry.at },
        'job could not be abandoned',
      );
      return { ended: false, retry };
    }
  }

  /** Returns whether the engine cannot even list its hosts, in which case no single host is recorded as lost. */
  #isEngineAway(): Promise<boolean> {
    return this.context.compute.hosts().then(
      () => false,
      (error) => error instanceof ComputeUnavailableError,
    );
  }

  async #abandon(error: unknown, attempts: number): Promise<boolean> {
    const { job, services } = this.context;
    const done = this.#hasWayBack ? 'undoing it' : 'it';
    const why = `${done} failed ${attempts} times`;
    const abandoned = await services.db.transaction(async (tx) => {
      const vm = await systemFindVm(tx, job.vm_id, true);
      if (!vm || !(await confirmJob(tx, this.#parts.ownership)).held) return false;
      return abandon(tx, services, { job, vm, error: jobError(error), why });
    });
    if (abandoned) services.metrics.jobFinished(job.kind, 'abandoned');
    return abandoned;
  }

  /**
   * Ends the job in one transaction, with its money, the VM's state and the event that records it. Returns false if the
   * job no longer belongs to this node.
   */
  async #end(
    status: 'succeeded' | 'failed',
    settle: (tx: Transaction, ended: { vm: VmRow; order: JobOrder }, at: Date) => Promise<Outcome>,
  ): Promise<boolean> {
    const { job, services } = this.context;
    const { db, clock, metrics } = services;
    const at = clock.now();
    const ended = await db.transaction(async (tx) => {
      const [vm, finished, order] = await Promise.all([
        systemFindVm(tx, job.vm_id, true),
        finishJob(tx, this.#parts.ownership, status, at),
        lockOrderOf(tx, job),
      ]);
      if (!vm || !finished) return false;
      await settleVm(tx, services, { job, status, at }, await settle(tx, { vm, order }, at));
      return true;
    });
    if (ended) metrics.jobFinished(job.kind, status);
    return ended;
  }
}
