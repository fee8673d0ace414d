import type { ClientClock } from './options.ts';

const MINUTE_MS = 60_000;
/** The service counts a request when it arrives, which may be later than it was sent. */
const MARGIN_MS = 1_000;

/**
 * Keeps all requests of a client within its limit, in the order of the calls. No window of a minute contains more than
 * the limit, so the service cannot see more in its own window either. Polling waits get only a part of the limit, so
 * that other calls do not stall while a fleet is being created.
 */
export class Pacer {
  readonly #clock: ClientClock;
  readonly #limit: number;
  /** Times at which the latest requests were sent, oldest first. */
  readonly #sent: number[] = [];
  readonly #sentByWaiters: number[] = [];
  #pausedUntil = 0;
  #turn: Promise<void> = Promise.resolve();
  #waitersTurn: Promise<void> = Promise.resolve();

  constructor(clock: ClientClock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Resolves when a request may be sent, and counts it from then on. */
  async admit({
    signal,
    isWaiter = false,
  }: {
    signal?: AbortSignal | undefined;
    isWaiter?: boolean;
  }): Promise<void> {
    if (isWaiter) await this.#queueWaiter(signal);
    await this.#queue(signal);
  }

  /** Sends nothing for `ms` milliseconds, because the service has refused a request. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + ms);
  }

  #queue(signal: AbortSignal | undefined): Promise<void> {
    const turn = this.#turn.then(() => this.#room(this.#sent, this.#limit, signal));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #queueWaiter(signal: AbortSignal | undefined): Promise<void> {
    const share = Math.max(1, Math.floor((this.#limit * 2) / 3));
    const turn = this.#waitersTurn.then(() => this.#room(this.#sentByWaiters, share, signal));
    this.#waitersTurn = turn.catch(() => undefined);
    return turn;
  }

  async #room(sent: number[], limit: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const now = this.#clock.now();
      while (sent.length > 0 && sent[0]! + MINUTE_MS + MARGIN_MS <= now) sent.shift();
      const free = sent.length < limit ? now : sent[0]! + MINUTE_MS + MARGIN_MS;
      const wait = Math.max(free, this.#pausedUntil) - now;
      if (wait <= 0) break;
      await this.#clock.sleep(wait, signal);
    }
    sent.push(this.#clock.now());
  }
}
