import { type Queryable, sql } from '../db/database.ts';
import { deleteSome } from '../db/queries/service/purge.ts';
import { Reconciler } from '../platform/reconciler.ts';
import { type LimitStore, type Uses, WINDOW_SECONDS } from './rate-limits.ts';

interface Waiting {
  keyId: string;
  accountId: string;
  windowStart: number;
  resolve: (uses: Uses) => void;
  reject: (error: unknown) => void;
}

/**
 * For PostgreSQL, shared by all nodes. Requests that arrive during a statement are counted together by the next one, so
 * the cost per request falls as the load grows, and the count stays exact.
 */
export class SharedLimitStore implements LimitStore {
  readonly #db: Queryable;
  readonly #keyLimit: number;
  #waiting: Waiting[] = [];
  readonly #counting = new Reconciler({ run: () => this.#drain() });

  constructor(db: Queryable, keyLimit: number) {
    this.#db = db;
    this.#keyLimit = keyLimit;
  }

  take(keyId: string, accountId: string, windowStart: number): Promise<Uses> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keyId, accountId, windowStart, resolve, reject });
      this.#counting.kick();
    });
  }

  async #drain(): Promise<void> {
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
  }

  async #count(batch: Waiting[], windowStart: number): Promise<void> {
    const byKey = Map.groupBy(batch, (one) => one.keyId);
    const keyIds = [...byKey.keys()];
    const accountIds = keyIds.map((id) => byKey.get(id)![0]!.accountId);
    const counts = keyIds.map((id) => byKey.get(id)!.length);
    // Keys are counted first, then accounts, each sorted: all nodes lock rows in the same order, so they cannot
    // deadlock.
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

  /** Deletes up to `limit` buckets of windows that have ended; returns how many. */
  static sweep(db: Queryable, now: Date, limit: number): Promise<number> {
    const where = sql`window_start < ${Math.floor(now.getTime() / 1000) - 2 * WINDOW_SECONDS}`;
    return deleteSome(db, { table: sql`rate_windows`, where, order: sql`window_start` }, limit);
  }
}
