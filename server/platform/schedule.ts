import type { Clock } from './clock.ts';
import type { Failures } from './failures.ts';

/** Work that runs on a timer: takes no input, is idempotent, and leaves what it cannot do to its next run. */
export interface Task {
  name: string;
  everyMs: number;
  /**
   * Also runs at start, to finish what a stop may have left undone. Other tasks first run when they are due, so that
   * they do not delay a customer's first request.
   */
  atStart?: true;
  /** `signal` aborts when the service stops: sleeps end then, and an error after that does not count as a failure. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs tasks, each in its own loop and never twice at the same time. */
export class Schedule {
  readonly #clock: Clock;
  readonly #failures: Failures;
  readonly #stop = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(clock: Clock, failures: Failures) {
    this.#clock = clock;
    this.#failures = failures;
  }

  start(tasks: Task[]): void {
    this.#loops = tasks.map((task) => this.#loop(task));
  }

  /** Resolves once no task is running. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
  }

  async #loop({ name, everyMs, atStart, run }: Task): Promise<void> {
    const { signal } = this.#stop;
    if (!atStart) await this.#untilNext(everyMs);
    while (!signal.aborted) {
      const work = () =>
        run(signal).catch((error) => {
          if (!signal.aborted) throw error;
        });
      await this.#failures.attempt(name, work);
      await this.#untilNext(everyMs);
    }
  }

  /**
   * Sleeps until the next multiple of the period, so that a slow run delays the next one but does not shift all later
   * ones.
   */
  async #untilNext(everyMs: number): Promise<void> {
    const left = everyMs - (this.#clock.now().getTime() % everyMs);
    await this.#clock.sleep(left, this.#stop.signal).catch(() => {});
  }
}
