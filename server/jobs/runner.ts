import type { Transaction } from '../db/database.ts';
import { advanceJob, claimJob, finishJob, type JobRow, releaseJob } from '../db/queries/jobs.ts';
import { systemFindVm, updateVm, type VmRow } from '../db/queries/vms.ts';
import { recordSystemEvent } from '../domain/vms/events.ts';
import type { Services } from '../services.ts';
import type { JobContext, JobDefinition, Outcome } from './job.ts';
import { jobError } from './job-error.ts';
import { JOBS } from './kinds/index.ts';
import { settledStatus } from './settled-status.ts';

/** Why a job's signal aborts. */
class JobCanceled extends Error {}
class NodeStopping extends Error {}

/** Called around each step; lets a test kill or fail the process at an exact place. */
export type StepHook = (point: { kind: string; step: string; phase: 'before' | 'after' | 'undo' }) => void;

/** Times an undo is tried before it is left to the next round of adoption. */
const UNDO_ATTEMPTS = 3;
/** How soon letting go of a job is tried again while the database is away. */
const RELEASE_RETRY_MS = 1000;

/**
 * Runs jobs: claim, each step and its bookkeeping, then one transaction that ends the job, settles its money
 * and frees the VM. A failure undoes the steps done, newest first. Killed anywhere, it is taken up again from
 * the step it was at.
 */
export class JobRunner {
  readonly #services: Services;
  readonly #node: bigint;
  readonly #concurrency: number;
  readonly #hook: StepHook;
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>();
  #roomFreed: (() => void)[] = [];
  readonly #stopping = new AbortController();

  constructor(services: Services, node: bigint, concurrency: number, hook: StepHook = () => {}) {
    this.#services = services;
    this.#node = node;
    this.#concurrency = concurrency;
    this.#hook = hook;
    services.signals.onJobCanceled((id) => this.#running.get(id)?.stop.abort(new JobCanceled()));
  }

  /** Starts a job and returns as soon as there is room for the next one. */
  async deliver(jobId: string): Promise<void> {
    if (this.#stopping.signal.aborted || this.#running.has(jobId)) return;
    const stop = new AbortController();
    const claim = await this.#claim(jobId);
    if (!claim) return;
    if (this.#stopping.signal.aborted) stop.abort(new NodeStopping());
    const { compute } = this.#services;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    this.#running.set(jobId, { stop, done });
    this.#work({ ...claim, compute, services: this.#services, signal: stop.signal }).then(resolve);
    while (this.#running.size >= this.#concurrency)
      await new Promise<void>((resolve) => this.#roomFreed.push(resolve));
  }

  /** Runs a job to its end: what tests that own the clock call instead of the queue. */
  async runToEnd(jobId: string): Promise<void> {
    await this.deliver(jobId);
    await this.#running.get(jobId)?.done;
  }

  /** Interrupts what runs, between or inside steps; another start takes it up again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    while (this.#running.size > 0) {
      const running = [...this.#running.values()];
      for (const { stop } of running) stop.abort(new NodeStopping());
      await Promise.all(running.map(({ done }) => done));
    }
  }

  async #claim(jobId: string) {
    const { db, clock, metrics } = this.#services;
    const claim = await db.transaction((tx) => claimJob(tx, jobId, this.#node, clock.now()));
    if (claim && claim.job.step === 0 && !claim.job.undoing) {
      metrics.jobPickedUp((clock.now().getTime() - claim.job.created_at.getTime()) / 1000);
    }
    return claim;
  }

  /** Runs a job and leaves it. Never rejects: what goes wrong here is put right by adoption. */
  async #work(context: JobContext): Promise<void> {
    const { job, services, signal } = context;
    const log = (error: unknown) =>
      services.logger.error({ err: error, job_id: job.id }, 'job runner failed');
    const ended = await this.#run(context).catch((error) => {
      if (!signal.aborted) log(error);
      return false;
    });
    await this.#leave(job, ended).catch(log);
  }

  /** After a job that did not end here, the VM's next one (it may have waited for this one) is taken at once. */
  async #leave(job: JobRow, ended: boolean): Promise<void> {
    const next = ended ? null : await this.#letGo(job);
    this.#running.delete(job.id);
    for (const resolve of this.#roomFreed.splice(0)) resolve();
    if (next && next !== job.id) await this.deliver(next);
  }

  /**
   * Gives up the ownership of a job, and returns the VM's active one. Tried until it works: a job that a
   * living node owns is not taken by any other.
   */
  async #letGo(job: JobRow): Promise<string | null> {
    const { db, clock, logger } = this.#services;
    const { signal } = this.#stopping;
    for (;;) {
      try {
        await releaseJob(db, { id: job.id, owner: this.#node });
        return (await systemFindVm(db, job.vm_id))?.active_job_id ?? null;
      } catch (error) {
        logger.error({ err: error, job_id: job.id }, 'job not released');
        if (signal.aborted) return null;
        await clock.sleep(RELEASE_RETRY_MS, signal).catch(() => {});
      }
    }
  }

  /** True when the job has ended here; false when it was cancelled, interrupted or left to be tried again. */
  async #run(context: JobContext): Promise<boolean> {
    const { job, signal } = context;
    const definition = JOBS[job.kind];
    if (!job.undoing) {
      try {
        await this.#forward(definition, context);
        return await this.#end(context, 'succeeded', (tx, vm, at) =>
          definition.succeeded(tx, { ...context, vm }, at),
        );
      } catch (error) {
        if (signal.aborted) return false;
        if (definition.persistent) return this.#retryLater(context, error);
        await this.#startUndo(definition, context, error);
      }
    }
    if (!(await this.#undo(definition, context))) return false;
    const observed = await settledStatus(context);
    return this.#end(context, 'failed', (tx, vm, at) =>
      definition.failed(tx, { ...context, vm, observed }, at),
    );
  }

  async #forward(definition: JobDefinition, context: JobContext): Promise<void> {
    const { job, signal } = context;
    const { length } = definition.steps;
    for (let step = job.step; step < length; step++) {
      const { name, run } = definition.steps[step]!;
      signal.throwIfAborted();
      this.#hook({ kind: job.kind, step: name, phase: 'before' });
      await run(context);
      this.#hook({ kind: job.kind, step: name, phase: 'after' });
      // What follows the last step is the end of the job, which is bookkeeping enough.
      if (step + 1 === length) return;
      const progress = Math.floor(((step + 1) * 100) / length);
      await this.#advance(context, { step: step + 1, undoing: false, progress });
    }
  }

  /** Bookkeeping of a step. Losing the job (cancelled, or taken by another node) ends this run. */
  async #advance(context: JobContext, state: Parameters<typeof advanceJob>[2]): Promise<void> {
    const { job, services } = context;
    if (!(await advanceJob(services.db, { id: job.id, owner: this.#node }, state))) {
      this.#running.get(job.id)?.stop.abort(new JobCanceled());
      throw new JobCanceled();
    }
    job.step = state.step;
    job.undoing = state.undoing;
  }

  async #startUndo(definition: JobDefinition, context: JobContext, error: unknown): Promise<void> {
    const { job, services } = context;
    services.logger.warn(
      { err: error, job_id: job.id, vm_id: job.vm_id, kind: job.kind, step: job.step },
      'job failed',
    );
    // The failing step may have done half of its work, so it is undone too.
    const step = Math.min(job.step + 1, definition.steps.length);
    await this.#advance(context, { step, undoing: true, progress: job.progress, error: jobError(error) });
  }

  /** True when everything is undone; false when it was interrupted or is left to be tried again. */
  async #undo(definition: JobDefinition, context: JobContext): Promise<boolean> {
    const { job, services, signal } = context;
    for (let left = job.step; left > 0; left--) {
      const step = definition.steps[left - 1]!;
      for (let attempt = 1; ; attempt++) {
        if (signal.aborted) return false;
        try {
          this.#hook({ kind: job.kind, step: step.name, phase: 'undo' });
          await step.undo?.(context);
          break;
        } catch (error) {
          services.logger.error({ err: error, job_id: job.id, step: step.name, attempt }, 'undo failed');
          if (attempt === UNDO_ATTEMPTS) return false;
        }
      }
      await this.#advance(context, { step: left - 1, undoing: true, progress: job.progress });
    }
    return true;
  }

  /** Nothing to undo and no way back: adoption takes it up again on its next round. */
  #retryLater({ job, services }: JobContext, error: unknown): false {
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
    { job, services }: JobContext,
    status: 'succeeded' | 'failed',
    settle: (tx: Transaction, vm: VmRow, at: Date) => Promise<Outcome>,
  ): Promise<boolean> {
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
