import { type Queryable, sql } from '../db/database.ts';
import type { Clock } from './clock.ts';

/** Length of a window. Windows are aligned to it, so every node agrees where one begins. */
export const WINDOW_SECONDS = 60;

export type Policy = 'key' | 'account' | 'ip';

/** The state of the policy that binds most: what the three rate headers say. */
export interface LimitState {
  allowed: boolean;
  policy: Policy;
  limit: number;
  remaining: number;
  /** End of the window, epoch seconds. */
  resetAt: number;
}

export interface Limits {
  key: number;
  account: number;
  ip: number;
}

/** How often a bucket was used in its window, this use included. */
interface Uses {
  key: number;
  /** Absent when the key's own limit refused: such a request does not consume the account's. */
  account?: number;
}

/** Counts the uses of a key and its account. Two nodes that share a store share the limits exactly. */
export interface LimitStore {
  take(keyId: string, accountId: string, windowStart: number): Uses | Promise<Uses>;
}

export class RateLimiter {
  readonly #limits: Limits;
  readonly #store: LimitStore;
  readonly #clock: Clock;
  readonly #ips = new WindowCounter();

  constructor(limits: Limits, store: LimitStore, clock: Clock) {
    this.#limits = limits;
    this.#store = store;
    this.#clock = clock;
  }

  /** Counts a request with a valid key. */
  takeKey(keyId: string, accountId: string): LimitState | Promise<LimitState> {
    const windowStart = this.#windowStart();
    const uses = this.#store.take(keyId, accountId, windowStart);
    return uses instanceof Promise
      ? uses.then((taken) => this.#judge(taken, windowStart))
      : this.#judge(uses, windowStart);
  }

  /** Counts a request without a valid key, by network, on this node only. */
  takeIp(network: string): LimitState {
    const windowStart = this.#windowStart();
    return this.#state('ip', this.#ips.add(network, windowStart), windowStart);
  }

  /** Whether a network has used up its requests without a valid key; counts nothing. */
  isIpSpent(network: string): boolean {
    return this.#ips.used(network, this.#windowStart()) >= this.#limits.ip;
  }

  #windowStart(): number {
    const seconds = Math.floor(this.#clock.now().getTime() / 1000);
    return seconds - (seconds % WINDOW_SECONDS);
  }

  #judge(uses: Uses, windowStart: number): LimitState {
    const key = this.#state('key', uses.key, windowStart);
    if (!key.allowed || uses.account === undefined) return key;
    const account = this.#state('account', uses.account, windowStart);
    // Both windows end together, so "the fewest remaining" decides alone.
    return !account.allowed || account.remaining < key.remaining ? account : key;
  }

  #state(policy: Policy, used: number, windowStart: number): LimitState {
    const limit = this.#limits[policy];
    return {
      allowed: used <= limit,
      policy,
      limit,
      remaining: Math.max(0, limit - used),
      resetAt: windowStart + WINDOW_SECONDS,
    };
  }
}

/** Buckets of the current window; the whole map goes when the window ends, which bounds it. */
class WindowCounter {
  #windowStart = 0;
  #used = new Map<string, number>();

  used(bucket: string, windowStart: number): number {
    return windowStart === this.#windowStart ? (this.#used.get(bucket) ?? 0) : 0;
  }

  add(bucket: string, windowStart: number): number {
    if (windowStart !== this.#windowStart) {
      this.#windowStart = windowStart;
      this.#used = new Map();
    }
    const used = (this.#used.get(bucket) ?? 0) + 1;
    this.#used.set(bucket, used);
    return used;
  }
}

/** For the embedded database, which only ever has one process: counting in memory is exact. */
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

interface Waiting {
  keyId: string;
  accountId: string;
  windowStart: number;
  resolve: (uses: Uses) => void;
  reject: (error: unknown) => void;
}

/**
 * For PostgreSQL, shared by every node. Requests that arrive while a statement is under way are counted
 * together by the next one, so the cost a request falls as the load grows and the count stays exact.
 */
export class SharedLimitStore implements LimitStore {
  readonly #db: Queryable;
  readonly #keyLimit: number;
  #waiting: Waiting[] = [];
  #busy = false;

  constructor(db: Queryable, keyLimit: number) {
    this.#db = db;
    this.#keyLimit = keyLimit;
  }

  take(keyId: string, accountId: string, windowStart: number): Promise<Uses> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keyId, accountId, windowStart, resolve, reject });
      if (!this.#busy) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const { windowStart } = this.#waiting[0]!;
      const batch = this.#waiting.filter((one) => one.windowStart === windowStart);
      this.#waiting = this.#waiting.filter((one) => one.windowStart !== windowStart);
      try {
        await this.#count(batch, windowStart);
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    this.#busy = false;
  }

  async #count(batch: Waiting[], windowStart: number): Promise<void> {
    const byKey = Map.groupBy(batch, (one) => one.keyId);
    const keyIds = [...byKey.keys()];
    const accountIds = keyIds.map((id) => byKey.get(id)![0]!.accountId);
    const counts = keyIds.map((id) => byKey.get(id)!.length);
    // Keys are counted first and sorted, then accounts, sorted: nodes lock rows in one order and cannot deadlock.
    const rows = await this.#db.query<{ bucket: string; used: number; added: number }>(sql`
      with asked as (
        select * from unnest(${keyIds}::text[], ${accountIds}::text[], ${counts}::int[]) as t (key_id, account_id, n)
      ), keys as (
        insert into rate_windows as w (bucket, window_start, used)
        select key_id, ${windowStart}::bigint, n from asked order by key_id
        on conflict (bucket, window_start) do update set used = w.used + excluded.used
        returning bucket, used
      ), granted as (
        select asked.account_id, sum(greatest(0, least(asked.n, ${this.#keyLimit}::int - (keys.used - asked.n))))::int as n
        from keys join asked on asked.key_id = keys.bucket group by asked.account_id
      ), accounts as (
        insert into rate_windows as w (bucket, window_start, used)
        select account_id, ${windowStart}::bigint, n from granted where n > 0 order by account_id
        on conflict (bucket, window_start) do update set used = w.used + excluded.used
        returning bucket, used
      )
      select bucket, used, n as added from keys join asked on asked.key_id = keys.bucket
      union all
      select bucket, used, n from accounts join granted on granted.account_id = accounts.bucket`);
    const next = new Map(rows.map((row) => [row.bucket, row.used - row.added]));
    const use = (bucket: string) => {
      const used = next.get(bucket)! + 1;
      next.set(bucket, used);
      return used;
    };
    for (const { keyId, accountId, resolve } of batch) {
      const key = use(keyId);
      resolve(key > this.#keyLimit ? { key } : { key, account: use(accountId) });
    }
  }

  /** Forgets windows that have ended. */
  static async sweep(db: Queryable, now: Date): Promise<void> {
    const oldest = Math.floor(now.getTime() / 1000) - 2 * WINDOW_SECONDS;
    await db.query(sql`delete from rate_windows where window_start < ${oldest}`);
  }
}
