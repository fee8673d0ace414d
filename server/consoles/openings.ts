import { type LimitState, WINDOW_SECONDS } from '../access/rate-limits.ts';
import type { Clock } from '../platform/clock.ts';
import { OPENINGS_PER_LINK, OPENINGS_PER_NETWORK } from './limits.ts';

/**
 * Counts openings of share links in windows of a minute, because each costs a database look-up and a picture of the
 * screen. Only requests with a valid secret count, so strangers can neither fill the memory nor use up a link.
 * Counted on each node.
 */
export class Openings {
  readonly #clock: Clock;
  #windowStart = 0;
  #used = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the limit's state for the next opening from a network, before any look-up; counts nothing. */
  ofNetwork(network: string): LimitState {
    this.#turn();
    return this.#state(OPENINGS_PER_NETWORK, (this.#used.get(network) ?? 0) + 1);
  }

  /** Counts one opening of a link from a network. Returns the state of the tighter limit. */
  take(shareId: string, network: string): LimitState {
    const byNetwork = this.#count(network, OPENINGS_PER_NETWORK);
    // A refused network does not use up the link for others.
    if (!byNetwork.allowed) return byNetwork;
    const byLink = this.#count(shareId, OPENINGS_PER_LINK);
    return byLink.remaining < byNetwork.remaining || !byLink.allowed ? byLink : byNetwork;
  }

  #count(bucket: string, limit: number): LimitState {
    this.#turn();
    const used = (this.#used.get(bucket) ?? 0) + 1;
    this.#used.set(bucket, used);
    return this.#state(limit, used);
  }

  #state(limit: number, used: number): LimitState {
    const resetAt = this.#windowStart + WINDOW_SECONDS;
    return { allowed: used <= limit, policy: 'ip', limit, remaining: Math.max(0, limit - used), resetAt };
  }

  /** Starts a new window if the last one is over. */
  #turn(): void {
    const now = Math.floor(this.#clock.now().getTime() / 1000);
    const windowStart = now - (now % WINDOW_SECONDS);
    if (windowStart === this.#windowStart) return;
    this.#windowStart = windowStart;
    this.#used = new Map();
  }
}
