import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';

/**
 * Number of failures remembered at once. A bound is needed because a failure for a VM that is gone would never be
 * cleared. A forgotten failure is logged once more.
 */
const MAX_FAILING = 1_000;

/**
 * Tracks failures of repeated work that continues after them: a failure is logged when it begins and when it ends, but
 * not each time; every failure is counted.
 */
export class Failures {
  readonly #logger: Logger;
  readonly #metrics: Pick<Metrics, 'taskFailed'>;
  readonly #failing = new Set<string>();

  constructor({ logger, metrics }: { logger: Logger; metrics: Pick<Metrics, 'taskFailed'> }) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  /** Runs `work` of the task, on `subject` if it has several. If it fails, returns false instead of throwing. */
  async attempt(task: string, work: () => Promise<unknown>, subject?: string): Promise<boolean> {
    const name = subject === undefined ? task : `${task} ${subject}`;
    try {
      await work();
      if (this.#failing.delete(name)) this.#logger.info({ task, subject }, 'task has recovered');
      return true;
    } catch (error) {
      this.#metrics.taskFailed(task);
      if (!this.#failing.has(name)) this.#logger.error({ err: error, task, subject }, 'task failed');
      // Keeps the set in order of the latest failure.
      this.#failing.delete(name);
      this.#failing.add(name);
      if (this.#failing.size > MAX_FAILING) this.#failing.delete(this.#failing.values().next().value!);
      return false;
    }
  }
}
