import type { Clock } from './clock.ts';
import type { Failures } from './failures.ts';

/** Something that runs on a timer: takes no input, is idempotent, and leaves what it cannot do to its next run. */
export interface Task {
  name: string;
  everyMs: number;
  /**
   * At the start too: what a stop may have left undone. Anything else first runs when its time comes, so that it does
   * not hold up a customer's first request.
   */
  atStart?: true;
  /** `signal` aborts when the service stops: what it sleeps on ends then, and its failure is none. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs tasks, each in its own loop, never twice at once. */
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

  /** Resolves when no task is running any more. */
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

  /** Sleeps to the next multiple of the period, so that a slow run delays the next one but never shifts all that follow. */
  async #untilNext(everyMs: number): Promise<void> {
    const left = everyMs - (this.#clock.now().getTime() % everyMs);
    await this.#clock.sleep(left, this.#stop.signal).catch(() => {});
  }
}
