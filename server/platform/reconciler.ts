import type { Clock } from './clock.ts';

export interface ReconcilerOptions {
  /**
   * One run: takes no input, is idempotent, and sees everything that was true when it began. `signal` aborts when the
   * reconciler closes, which waits for the run to end. A run may call `look` just before it reads the state again: it
   * then counts for everyone who has asked so far, and no further run is made for them.
   */
  run(signal: AbortSignal, look: () => void): Promise<unknown>;
  /** Called with the error of a run that was kicked or that followed a pause. */
  onFailure?(error: unknown): void;
  /** If absent, it runs only when asked. */
  pauses?: Pauses;
}

export interface Pauses {
  clock: Clock;
  /** Pause between two runs. If absent, a successful run is not repeated until someone asks. */
  everyMs?: number;
  /** Pauses after failures, each twice the previous one. If absent, `everyMs` applies to failures too. */
  retry?: { firstMs: number; longestMs: number };
}

/**
 * Repeats one piece of work whenever it is asked to, never twice at the same time. Requests during a run are combined
 * into one more run after it, because the current run may have missed their cause.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #closing = new AbortController();
  /** Settles with the next run; undefined if none has been asked for. */
  #next: PromiseWithResolvers<void> | undefined;
  /** True if the next run was kicked, so that `onFailure` gets its error. */
  #isKicked = false;
  #working: Promise<void> | undefined;
  /** Ends the pause before the next run. */
  #pause: AbortController | undefined;
  #retryMs = 0;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Ends a pause. Resolves once a run has ended that began, or looked, after this call; rejects with its error. */
  run(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return Promise.reject(signal.reason);
    this.#next ??= Promise.withResolvers();
    const { promise } = this.#next;
    this.#pause?.abort();
    this.#working ??= this.#work();
    return promise;
  }

  /** Runs soon, in the background. Ends a pause. Does nothing once closed. */
  kick(): void {
    this.#isKicked = true;
    this.run().catch(() => {});
  }

  /** Resolves once no run is in progress or asked for. Does not wait for a run that a pause delays. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  /** Ends the current run by its signal, and waits for it. Callers that wait for a run after it get an error. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the reconciler is closed'));
    this.#pause?.abort();
    await this.idle();
  }

  async #work(): Promise<void> {
    const { signal } = this.#closing;
    let pauseMs: number | undefined;
    // In a later turn, so that all requests of this one are one run.
    await undefined;
    while (this.#next && !signal.aborted) pauseMs = await this.#once();
    this.#next?.reject(signal.reason);
    this.#next = undefined;
    this.#working = undefined;
    if (pauseMs !== undefined && !signal.aborted) this.#rest(pauseMs);
  }

  /** Returns the pause before the next run in milliseconds, or undefined if there is none until someone asks. */
  async #once(): Promise<number | undefined> {
    const { run, onFailure, pauses } = this.#options;
    const { signal } = this.#closing;
    const waiting: PromiseWithResolvers<void>[] = [];
    let isKicked = false;
    const look = () => {
      if (this.#next) waiting.push(this.#next);
      isKicked ||= this.#isKicked;
      this.#next = undefined;
      this.#isKicked = false;
    };
    look();
    try {
      await run(signal, look);
      for (const { resolve } of waiting) resolve();
      this.#retryMs = 0;
      return pauses?.everyMs;
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      if (isKicked && !signal.aborted) onFailure?.(error);
      return this.#backOff();
    }
  }

  #backOff(): number | undefined {
    const { everyMs, retry } = this.#options.pauses ?? {};
    if (!retry) return everyMs;
    this.#retryMs = Math.min(Math.max(2 * this.#retryMs, retry.firstMs), retry.longestMs);
    return this.#retryMs;
  }

  #rest(ms: number): void {
    const pause = new AbortController();
    this.#pause = pause;
    this.#options.pauses!.clock.sleep(ms, pause.signal).then(
      () => this.kick(),
      () => {},
    );
  }
}
