import { type Clock, systemClock } from '../../server/platform/clock.ts';

/**
 * A clock that runs in real time, from now or from `start`. A test may advance it, which wakes sleepers whose time has
 * come.
 */
export class RunningClock implements Clock {
  #ahead: number;
  readonly #sleepers = new Set<() => void>();

  constructor(start = new Date()) {
    this.#ahead = start.getTime() - Date.now();
  }

  now(): Date {
    return new Date(Date.now() + this.#ahead);
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const wakeAt = this.now().getTime() + ms;
    for (let left = ms; left > 0; left = wakeAt - this.now().getTime()) {
      const jump = new AbortController();
      const wake = () => jump.abort();
      this.#sleepers.add(wake);
      try {
        await systemClock.sleep(left, signal ? AbortSignal.any([signal, jump.signal]) : jump.signal);
      } catch (error) {
        if (!jump.signal.aborted || signal?.aborted) throw error;
      } finally {
        this.#sleepers.delete(wake);
      }
    }
    signal?.throwIfAborted();
  }

  /** Advances the clock; every sleeper checks the time again. */
  advance(ms: number): void {
    this.#ahead += ms;
    for (const wake of [...this.#sleepers]) wake();
  }
}
