import type { Clock } from '../../platform/clock.ts';

/** A check without an answer by then counts as failed, whatever the answer is. */
const CHECK_TIMEOUT_MS = 2_000;

/**
 * A failure is cached for no longer than this, however long a success is, so that a recovered part is used again soon.
 */
const FAILURE_KEPT_MS = 1_000;

/**
 * Caches the result of a check and never runs it twice at once, so that any number of callers cost the same. A check
 * that hangs counts as failed until it ends.
 */
export class CachedCheck {
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #check: () => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #passed = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  /** `check` throws if it fails. `onFailure` is called when it starts failing, not each time. */
  constructor(clock: Clock, keptMs: number, check: () => Promise<void>, onFailure: (error: unknown) => void) {
    this.#clock = clock;
    this.#keptMs = keptMs;
    this.#check = check;
    this.#onFailure = onFailure;
  }

  async passes(): Promise<boolean> {
    const keptMs = this.#passed ? this.#keptMs : Math.min(this.#keptMs, FAILURE_KEPT_MS);
    if (this.#clock.now().getTime() - this.#checkedAt >= keptMs) this.#running ??= this.#run();
    if (!this.#running) return this.#passed;
    const answered = new AbortController();
    const late = this.#clock.sleep(CHECK_TIMEOUT_MS, answered.signal).then(
      () => false,
      () => false,
    );
    const inTime = await Promise.race([this.#running.then(() => true), late]);
    answered.abort();
    return inTime && this.#passed;
  }

  async #run(): Promise<void> {
    try {
      await this.#check();
      this.#settle(true);
    } catch (error) {
      if (this.#passed || this.#checkedAt === Number.NEGATIVE_INFINITY) this.#onFailure(error);
      this.#settle(false);
    }
  }

  #settle(passed: boolean): void {
    this.#passed = passed;
    this.#checkedAt = this.#clock.now().getTime();
    this.#running = undefined;
  }
}
