import type { Node } from '../cluster/membership.ts';
import type { ComputeDriver } from '../compute/driver.ts';
import { DatabaseAwayError } from '../db/database.ts';
import type { JobRow } from '../db/queries/service/jobs.ts';
import {
  claimJob,
  type NextJob,
  nextJobs,
  type Ownership,
  type Retry,
  releaseJob,
} from '../db/queries/service/owned-jobs.ts';
import type { VmRow } from '../db/queries/vms/vms.ts';
import { Reconciler } from '../platform/reconciler.ts';
import { JobCanceled, JobExecution, type StepHook } from './execution.ts';
import { fencedCompute } from './fenced-compute.ts';
import type { JobServices } from './job.ts';
import type { JobReceiver } from './queue.ts';
import { type Lane, type Slot, Slots } from './slots.ts';

interface RunnerServices extends JobServices {
  compute: ComputeDriver;
}

/** Abort reason of a job's signal: the job is left to the next node that adopts it. */
class Interrupted extends Error {}

/** Delay before retrying to release a job while the database cannot be reached. */
const RELEASE_RETRY_MS = 1000;
/** In the order in which they get a free slot. */
const LANES: readonly Lane[] = ['service', 'customer'];

interface Run {
  stop: AbortController;
  done: Promise<void>;
}

export interface RunnerOptions {
  concurrency: number;
  hook?: StepHook;
}

/**
 * Runs the jobs of this node: takes waiting jobs, accounts in turn, as long as there are slots, and releases them
 * afterwards (see `execution.ts` for how one runs). A job whose process was killed continues from the step it was at.
 */
export class JobRunner implements JobReceiver {
  readonly #services: RunnerServices;
  readonly #node: Node;
  readonly #hook: StepHook;
  readonly #slots: Slots;
  readonly #runs = new Map<string, Run>();
  /** Claims in progress, by job id. */
  readonly #claims = new Map<string, Promise<void>>();
  /** The account that had the last turn in each lane. */
  readonly #lastTurn: Record<Lane, string> = { service: '', customer: '' };
  /** Jobs may be waiting that found no free slot. */
  #backlog = false;
  readonly #filling = new Reconciler({
    run: (_, look) => this.#fill(look),
    // The next round of adoption takes the jobs that were missed.
    onFailure: (error) => this.#services.logger.warn({ err: error }, 'jobs not taken'),
  });
  readonly #stopping = new AbortController();

  constructor(services: RunnerServices, node: Node, { concurrency, hook = () => {} }: RunnerOptions) {
    this.#services = services;
    this.#node = node;
    this.#hook = hook;
    this.#slots = new Slots(concurrency, () => {
      if (this.#backlog) this.offer();
    });
    services.signals.onJobCanceled((id) => this.#runs.get(id)?.stop.abort(new JobCanceled()));
    node.onLost(() => this.#interrupt());
  }

  /** Takes waiting jobs as long as there are free slots. */
  fill(): Promise<void> {
    return this.#filling.run();
  }

  /** Runs {@link fill} in the background. */
  offer(): void {
    this.#filling.kick();
  }

  async #fill(look: () => void): Promise<void> {
    this.#backlog = false;
    try {
      while (await this.#takeNext(look));
    } finally {
      await this.#claimed();
    }
  }

  /** Waits for all claims in progress; throws the error of the first that failed. */
  async #claimed(): Promise<void> {
    const claims = await Promise.allSettled(this.#claims.values());
    this.#claims.clear();
    for (const claim of claims) if (claim.status === 'rejected') throw claim.reason;
  }

  /**
   * Begins to claim the next job while earlier claims are still in progress. Returns false if there is no further job
   * or no free slot.
   */
  async #takeNext(look: () => void): Promise<boolean> {
    // The query below sees every job that has been offered so far.
    look();
    if (this.#stopping.signal.aborted || !this.#node.present) return false;
    const open = LANES.filter((lane) => this.#slots.hasRoom(lane));
    const full = this.#slots.fullAccounts();
    if (open.length < LANES.length || full.length > 0) this.#backlog = true;
    if (open.length === 0) return false;
    const { db, clock, engine } = this.#services;
    const turns = open.map((lane) => ({
      byService: lane === 'service',
      after: this.#lastTurn[lane],
      except: lane === 'customer' ? full : [],
    }));
    const claiming = [...this.#claims.keys()];
    const [next, other] = await nextJobs(db, turns, { engine, at: clock.now(), claiming });
    if (!next) return false;
    const lane = next.by_service ? 'service' : 'customer';
    // Jobs that are back from waiting for their guests may have taken the slot in the meantime.
    const slot = this.#slots.take({ accountId: next.account_id, lane });
    if (!slot) return true;
    this.#lastTurn[lane] = next.account_id;
    const claim = this.#take(next, slot);
    this.#claims.set(next.id, claim);
    // A failed claim stays in the map until all claims in progress have ended, so that `#claimed` sees its error.
    claim.then(
      () => this.#claims.delete(next.id),
      () => {},
    );
    return other !== undefined;
  }

  /** Claims a job and starts it, unless another node has claimed it first. */
  async #take(next: NextJob, slot: Slot): Promise<void> {
    try {
      const claim = await this.#claim(next);
      if (claim) this.#start(claim, slot);
      else slot.release();
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  #start({ job, vm }: { job: JobRow; vm: VmRow }, slot: Slot): void {
    const stop = new AbortController();
    const { signal } = stop;
    if (this.#stopping.signal.aborted) stop.abort(new Interrupted());
    const ownership = { id: job.id, owner: this.#node.id, epoch: job.epoch };
    const fence = () => this.#fence(ownership, stop);
    const compute = fencedCompute(this.#services.compute, fence);
    const context = { job, vm, compute, services: this.#services, signal, fence };
    const execution = new JobExecution(context, { ownership, slot, hook: this.#hook, stop });
    const { promise: done, resolve } = Promise.withResolvers<void>();
    this.#runs.set(job.id, { stop, done });
    this.#work(execution, ownership, slot).then(resolve);
  }

  /** Throws, and ends the run, unless the job is known to belong to this node. */
  async #fence(ownership: Ownership, stop: AbortController): Promise<void> {
    const { signal } = stop;
    signal.throwIfAborted();
    const held = await unlessAborted(this.#node.holds(ownership), signal).catch((error) => {
      stop.abort(new Interrupted());
      throw error;
    });
    if (!held) stop.abort(new JobCanceled());
    signal.throwIfAborted();
  }

  /** Starts every job that gets a slot and waits for this one. For tests that control the clock. */
  async runToEnd(jobId: string): Promise<void> {
    await this.fill();
    await this.#runs.get(jobId)?.done;
  }

  /** Interrupts running jobs, between or inside steps; the next start continues them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#interrupt();
    await this.#filling.close();
    this.#interrupt();
    await Promise.all([...this.#runs.values()].map(({ done }) => done));
  }

  #interrupt(): void {
    for (const { stop } of this.#runs.values()) stop.abort(new Interrupted());
  }

  async #claim({ id, epoch }: NextJob) {
    const { db, clock, metrics } = this.#services;
    const owner = this.#node.id;
    const claim = await claimJob(db, id, owner, clock.now()).catch(async (error) => {
      // The claim may have taken effect without this node knowing; then no node would ever run the job.
      if (error instanceof DatabaseAwayError && error.outcomeUnknown)
        await this.#release({ id, owner, epoch: epoch + 1 });
      throw error;
    });
    if (claim?.job.epoch === 1)
      metrics.jobPickedUp((clock.now().getTime() - claim.job.created_at.getTime()) / 1000);
    return claim;
  }

  /** Runs a job and releases it. Never rejects. */
  async #work(execution: JobExecution, ownership: Ownership, slot: Slot): Promise<void> {
    const result = await execution.run();
    if (!result.ended) await this.#release(ownership, result.retry);
    this.#runs.delete(ownership.id);
    slot.release();
    // The VM's next job may have been waiting for this one to leave the guest alone.
    if (!result.ended) this.offer();
  }

  /** Releases a job. Retries until it succeeds: no other node takes a job that a living node owns. */
  async #release(ownership: Ownership, retry?: Retry): Promise<void> {
    const { db, clock, logger } = this.#services;
    const { signal } = this.#stopping;
    for (;;) {
      try {
        return await releaseJob(db, ownership, retry);
      } catch (error) {
        logger.error({ err: error, job_id: ownership.id }, 'job not released');
        if (signal.aborted) return;
        await clock.sleep(RELEASE_RETRY_MS, signal).catch(() => {});
      }
    }
  }
}

/** Resolves like `work`, but rejects with the reason of `signal` if that aborts first. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
