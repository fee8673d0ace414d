/**
 * The service's time source. Nothing else in `server/` reads the wall clock or sleeps: a test that controls the clock
 * controls renewals, expiries, windows and boot times.
 */
export interface Clock {
  /** Returns the current time with millisecond precision. */
  now(): Date;
  /**
   * Resolves after `ms` milliseconds of this clock; rejects with `signal.reason` once `signal` aborts.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => new Date(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        Math.max(0, ms),
      );
      timer.unref();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
};

interface Sleeper {
  wakeAt: number;
  wake: () => void;
}

/** A clock that moves only when a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #sleepers = new Set<Sleeper>();

  constructor(start: Date | string = '2026-01-01T00:00:00Z') {
    this.#now = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.#now);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        if (this.#sleepers.delete(sleeper)) reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        wakeAt: this.#now + ms,
        wake() {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Moves time forward by `ms` and wakes all sleepers that are due by then, in order. */
  advance(ms: number): void {
    this.set(new Date(this.#now + ms));
  }

  /** Moves time forward to `instant`; throws if that is in the past. */
  set(instant: Date): void {
    const target = instant.getTime();
    if (target < this.#now) throw new Error('a clock cannot go back');
    const due = [...this.#sleepers].filter((s) => s.wakeAt <= target).sort((a, b) => a.wakeAt - b.wakeAt);
    for (const sleeper of due) {
      this.#now = sleeper.wakeAt;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
    this.#now = target;
  }

  /** Number of callers asleep: lets a test wait until work has settled. */
  get sleeping(): number {
    return this.#sleepers.size;
  }
}
