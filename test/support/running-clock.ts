import { type Clock, systemClock } from '../../server/platform/clock.ts';

/**
 * A clock that goes on by itself, from now or from `start`, and which a test may put forward: what waits for the moment
 * that it comes to happens then.
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

  /** Puts it forward, and has everybody who sleeps look at it anew. */
  advance(ms: number): void {
    this.#ahead += ms;
    for (const wake of [...this.#sleepers]) wake();
  }
}
