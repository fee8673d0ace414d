import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';

/** Failures remembered at once: what failed last for a VM that is gone would stay for ever. A forgotten one is said once more. */
const MAX_FAILING = 1_000;

/**
 * What is done again and again, and goes on past what fails: a failure is said when it begins, not each time, and so is
 * its end; each is counted.
 */
export class Failures {
  readonly #logger: Logger;
  readonly #metrics: Pick<Metrics, 'taskFailed'>;
  readonly #failing = new Set<string>();

  constructor({ logger, metrics }: { logger: Logger; metrics: Pick<Metrics, 'taskFailed'> }) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  /** Does `work` of the task, on `subject` where it has many; false, and nothing thrown, where it failed. */
  async attempt(task: string, work: () => Promise<unknown>, subject?: string): Promise<boolean> {
    const name = subject === undefined ? task : `${task} ${subject}`;
    try {
      await work();
      if (this.#failing.delete(name)) this.#logger.info({ task, subject }, 'task works again');
      return true;
    } catch (error) {
      this.#metrics.taskFailed(task);
      if (!this.#failing.has(name)) this.#logger.error({ err: error, task, subject }, 'task failed');
      // The set is in the order of the last failures.
      this.#failing.delete(name);
      this.#failing.add(name);
      if (this.#failing.size > MAX_FAILING) this.#failing.delete(this.#failing.values().next().value!);
      return false;
    }
  }
}
