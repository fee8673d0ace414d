import type { Clock } from '../platform/clock.ts';

/** Length of a window. Windows are aligned to it, so all nodes agree on where one begins. */
export const WINDOW_SECONDS = 60;
/**
 * Number of networks counted at once. Beyond it, the one seen first is forgotten. That weakens nothing: a caller with
 * that many networks has a budget for each.
 */
const MAX_NETWORKS = 100_000;

/** Requests per minute for a panel session, on each node: a page makes many requests at once. */
const SESSION_LIMIT = 600;

export type Policy = 'key' | 'account' | 'ip' | 'session';

/** The state of the policy closest to its limit, as reported in the three rate-limit headers. */
export interface LimitState {
  allowed: boolean;
  policy: Policy;
  limit: number;
  remaining: number;
  /** End of the window, in epoch seconds. */
  resetAt: number;
}

export interface Limits {
  key: number;
  account: number;
  ip: number;
  /** Requests of a network to routes that need no key. */
  open: number;
}

/** Uses of each bucket in its window, including this one. */
export interface Uses {
  key: number;
  /** Absent if the key's own limit refused the request: then it does not count towards the account's. */
  account?: number;
}

/** Counts the uses of a key and its account. Nodes with the same store share the limits exactly. */
export interface LimitStore {
  take(keyId: string, accountId: string, windowStart: number): Uses | Promise<Uses>;
}

export class RateLimiter {
  readonly #limits: Limits & { session: number };
  readonly #store: LimitStore;
  readonly #clock: Clock;
  /** Per node: sharing these counts would cost each refused request the query that the limit is meant to save. */
  readonly #ips: WindowCounter;
  readonly #open: WindowCounter;
  readonly #visitors: WindowCounter;
  readonly #sessions = new WindowCounter(MAX_NETWORKS);
  /** The store's latest answer for each key, in the window that starts at `#seenIn`. */
  readonly #seen = new Map<string, LimitState>();
  #seenIn = 0;

  constructor(limits: Limits, store: LimitStore, clock: Clock, { maxNetworks = MAX_NETWORKS } = {}) {
    this.#limits = { session: SESSION_LIMIT, ...limits };
    this.#store = store;
    this.#clock = clock;
    this.#ips = new WindowCounter(maxNetworks);
    this.#open = new WindowCounter(maxNetworks);
    this.#visitors = new WindowCounter(maxNetworks);
  }

  takeKey(keyId: string, accountId: string): LimitState | Promise<LimitState> {
    const windowStart = this.#windowStart();
    const uses = this.#store.take(keyId, accountId, windowStart);
    return uses instanceof Promise
      ? uses.then((taken) => this.#note(keyId, this.#judge(taken, windowStart)))
      : this.#judge(uses, windowStart);
  }

  /** Returns the limits of a key, or of a network if there is no key, as this node last knew them; counts nothing. */
  lastKnown(keyId: string | undefined, network: string): LimitState {
    const windowStart = this.#windowStart();
    if (keyId === undefined)
      return { ...this.#state('ip', this.#ips.used(network, windowStart), windowStart), allowed: true };
    const seen = this.#seenIn === windowStart ? this.#seen.get(keyId) : undefined;
    return { ...(seen ?? this.#state('key', 0, windowStart)), allowed: true };
  }

  /**
   * Counts a request without a valid key, by network. Per node, because such a request must not cost the database
   * anything.
   */
  takeIp(network: string): LimitState {
    const windowStart = this.#windowStart();
    return this.#state('ip', this.#ips.add(network, windowStart), windowStart);
  }

  /**
   * Counts a request to a route that needs no key, by network and node. These requests have a separate bucket, so that
   * someone reading the documentation does not use up the attempts of a colleague with a mistyped key.
   */
  takeOpen(network: string): LimitState {
    const windowStart = this.#windowStart();
    return this.#state('ip', this.#open.add(network, windowStart), windowStart, this.#limits.open);
  }

  /**
   * Counts a panel request without a session, by network and node. These requests have a separate bucket, so that a
   * program with a wrong key cannot keep the people on its network from signing in.
   */
  takeVisitor(network: string): LimitState {
    const windowStart = this.#windowStart();
    return this.#state('ip', this.#visitors.add(network, windowStart), windowStart);
  }

  takeSession(sessionId: string): LimitState {
    const windowStart = this.#windowStart();
    return this.#state('session', this.#sessions.add(sessionId, windowStart), windowStart);
  }

  /** Takes back one request counted in this window. */
  giveBackIp(network: string): void {
    this.#ips.remove(network, this.#windowStart());
  }

  /** Returns whether a network has used up its requests without a valid key; counts nothing. */
  isIpSpent(network: string): boolean {
    return this.#ips.used(network, this.#windowStart()) >= this.#limits.ip;
  }

  #windowStart(): number {
    const seconds = Math.floor(this.#clock.now().getTime() / 1000);
    return seconds - (seconds % WINDOW_SECONDS);
  }

  #note(keyId: string, state: LimitState): LimitState {
    const windowStart = state.resetAt - WINDOW_SECONDS;
    if (windowStart > this.#seenIn) this.#seen.clear();
    this.#seenIn = Math.max(this.#seenIn, windowStart);
    if (windowStart === this.#seenIn) this.#seen.set(keyId, state);
    return state;
  }

  #judge(uses: Uses, windowStart: number): LimitState {
    const key = this.#state('key', uses.key, windowStart);
    if (!key.allowed || uses.account === undefined) return key;
    const account = this.#state('account', uses.account, windowStart);
    // Both windows end at the same time, so the fewest remaining requests decide.
    return !account.allowed || account.remaining < key.remaining ? account : key;
  }

  #state(policy: Policy, used: number, windowStart: number, limit = this.#limits[policy]): LimitState {
    return {
      allowed: used <= limit,
      policy,
      limit,
      remaining: Math.max(0, limit - used),
      resetAt: windowStart + WINDOW_SECONDS,
    };
  }
}

/** Buckets of the current window. All are dropped when the window ends; within it `maximum` limits their number. */
class WindowCounter {
  readonly #maximum: number;
  #windowStart = 0;
  #used = new Map<string, number>();

  constructor(maximum = Number.POSITIVE_INFINITY) {
    this.#maximum = maximum;
  }

  remove(bucket: string, windowStart: number): void {
    const used = this.used(bucket, windowStart);
    if (used > 0) this.#used.set(bucket, used - 1);
  }

  used(bucket: string, windowStart: number): number {
    return windowStart === this.#windowStart ? (this.#used.get(bucket) ?? 0) : 0;
  }

  add(bucket: string, windowStart: number): number {
    if (windowStart !== this.#windowStart) {
      this.#windowStart = windowStart;
      this.#used = new Map();
    }
    const used = (this.#used.get(bucket) ?? 0) + 1;
    if (used === 1 && this.#used.size >= this.#maximum) this.#used.delete(this.#used.keys().next().value!);
    this.#used.set(bucket, used);
    return used;
  }
}

/** For the embedded database, which only ever has one process, so counting in memory is exact. */
export class LocalLimitStore implements LimitStore {
  readonly #keyLimit: number;
  readonly #counter = new WindowCounter();

  constructor(keyLimit: number) {
    this.#keyLimit = keyLimit;
  }

  take(keyId: string, accountId: string, windowStart: number): Uses {
    const key = this.#counter.add(keyId, windowStart);
    if (key > this.#keyLimit) return { key };
    return { key, account: this.#counter.add(accountId, windowStart) };
  }
}
