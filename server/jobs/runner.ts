import { claimJob, type JobRow, releaseJob } from '../db/queries/jobs.ts';
import { systemFindVm } from '../db/queries/vms.ts';
import type { Services } from '../services.ts';
import { JobCanceled, JobExecution, type StepHook } from './execution.ts';
import type { JobReceiver } from './queue.ts';

/** Why a job's signal aborts. */
class NodeStopping extends Error {}

/** How soon letting go of a job is tried again while the database is away. */
const RELEASE_RETRY_MS = 1000;

/**
 * The jobs of this node: takes those that are delivered, runs as many at once as there is room for, and leaves them
 * (see `execution.ts` for how one runs). Killed anywhere, a job is taken up again from the step it was at.
 */
export class JobRunner implements JobReceiver {
  readonly #services: Services;
  readonly #node: bigint;
  readonly #concurrency: number;
  readonly #hook: StepHook;
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>();
  /** Jobs that are about to run here. */
  readonly #taking = new Map<string, Promise<void>>();
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
    await this.#take(jobId);
    while (this.#running.size >= this.#concurrency)
      await new Promise<void>((resolve) => this.#roomFreed.push(resolve));
  }

  /** Starts a job if there is room for it now. */
  offer(jobId: string): void {
    if (this.#running.size + this.#taking.size >= this.#concurrency) return;
    // Whoever else is told of the job takes it then, or the next round of adoption.
    this.#take(jobId).catch((error) =>
      this.#services.logger.warn({ err: error, job_id: jobId }, 'job not taken'),
    );
  }

  /** Starts a job once, however often and at once it is asked to. */
  async #take(jobId: string): Promise<void> {
    if (this.#stopping.signal.aborted || this.#running.has(jobId)) return;
    const taking = this.#taking.get(jobId) ?? this.#start(jobId).finally(() => this.#taking.delete(jobId));
    this.#taking.set(jobId, taking);
    await taking;
  }

  async #start(jobId: string): Promise<void> {
    const stop = new AbortController();
    const claim = await this.#claim(jobId);
    if (!claim) return;
    if (this.#stopping.signal.aborted) stop.abort(new NodeStopping());
    const { compute } = this.#services;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    this.#running.set(jobId, { stop, done });
    const context = { ...claim, compute, services: this.#services, signal: stop.signal };
    this.#work(new JobExecution(context, { node: this.#node, hook: this.#hook, stop })).then(resolve);
  }

  /** Runs a job to its end: what tests that own the clock call instead of the queue. */
  async runToEnd(jobId: string): Promise<void> {
    await this.deliver(jobId);
    await this.#running.get(jobId)?.done;
  }

  /** Interrupts what runs, between or inside steps; another start takes it up again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    while (this.#running.size + this.#taking.size > 0) {
      const running = [...this.#running.values()];
      for (const { stop } of running) stop.abort(new NodeStopping());
      await Promise.allSettled([...this.#taking.values(), ...running.map(({ done }) => done)]);
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
  async #work(execution: JobExecution): Promise<void> {
    const { job, signal } = execution.context;
    const log = (error: unknown) =>
      this.#services.logger.error({ err: error, job_id: job.id }, 'job runner failed');
    const ended = await execution.run().catch((error) => {
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
}
