import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type LimitStore, LocalLimitStore, RateLimiter } from '../../server/access/rate-limits.ts';
import { SharedLimitStore } from '../../server/access/shared-limits.ts';
import { type Queryable, sql } from '../../server/db/database.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { depth } from '../support/depth.ts';

const WINDOW = 1_767_225_600;
const KEY_LIMIT = 3;

test('a request is limited by the key first, then by the account', async () => {
  const limiter = new RateLimiter(
    { key: 2, account: 3, ip: 1, open: 1 },
    new LocalLimitStore(2),
    new ManualClock(),
  );
  const take = async (key: string) => {
    const { allowed, policy, remaining } = await limiter.takeKey(key, 'acc');
    return [allowed, policy, remaining];
  };
  assert.deepEqual(await take('a'), [true, 'key', 1]);
  assert.deepEqual(await take('a'), [true, 'key', 0]);
  assert.deepEqual(await take('a'), [false, 'key', 0]);
  assert.deepEqual(await take('b'), [true, 'account', 0]);
  assert.deepEqual(await take('b'), [false, 'account', 0]);
  assert.deepEqual(await take('b'), [false, 'key', 0]);
});

test('windows begin at whole minutes', async () => {
  const clock = new ManualClock('2026-01-01T00:00:59.999Z');
  const limiter = new RateLimiter({ key: 1, account: 1, ip: 1, open: 1 }, new LocalLimitStore(1), clock);
  const first = await limiter.takeKey('a', 'acc');
  assert.deepEqual([first.allowed, first.resetAt], [true, WINDOW + 60]);
  assert.equal(limiter.takeIp('203.0.113.7').allowed, true);
  assert.equal(limiter.takeIp('203.0.113.7').allowed, false);
  clock.advance(1);
  const second = await limiter.takeKey('a', 'acc');
  assert.deepEqual([second.allowed, second.resetAt], [true, WINDOW + 120]);
  assert.equal(limiter.takeIp('203.0.113.7').allowed, true);
});

test('counting in memory and in the database give the same result, in any order of requests', async (t) => {
  const db = await freshDatabase(t);
  const requests = fc.array(fc.record({ key: fc.nat({ max: 3 }), account: fc.nat({ max: 1 }) }), {
    maxLength: 12,
  });
  const bursts = fc.array(requests, { maxLength: 4 });
  let window = WINDOW;
  await fc.assert(
    fc.asyncProperty(bursts, async (all) => {
      window += 60;
      const stores: LimitStore[] = [new LocalLimitStore(KEY_LIMIT), new SharedLimitStore(db, KEY_LIMIT)];
      for (const burst of all) {
        const [local, shared] = await Promise.all(
          stores.map((store) =>
            Promise.all(
              burst.map(({ key, account }) => store.take(`k${account}${key}`, `a${account}`, window)),
            ),
          ),
        );
        assert.deepEqual(tally(shared!, burst), tally(local!, burst));
      }
    }),
    { numRuns: depth(8, 30) },
  );
});

/** Summarizes a burst, ignoring the order among concurrent requests. */
function tally(uses: Awaited<ReturnType<LimitStore['take']>>[], burst: { key: number; account: number }[]) {
  return uses
    .map(
      (use, i) =>
        `${burst[i]!.account}/${burst[i]!.key}: ${use.key} ${use.account === undefined ? 'refused' : ''}`,
    )
    .concat(uses.map((use, i) => `${burst[i]!.account}: ${use.account}`))
    .sort();
}

test('a failing store refuses only the requests that waited for it', async () => {
  let failing = true;
  const db: Queryable = {
    async query() {
      if (failing) throw new Error('the database cannot be reached');
      return [
        { bucket: 'k', used: 1, added: 1 },
        { bucket: 'a', used: 1, added: 1 },
      ] as never[];
    },
  };
  const store = new SharedLimitStore(db, KEY_LIMIT);
  const waiting = [store.take('k', 'a', WINDOW), store.take('k', 'a', WINDOW)];
  for (const one of waiting) await assert.rejects(one, /cannot be reached/);
  failing = false;
  assert.deepEqual(await store.take('k', 'a', WINDOW), { key: 1, account: 1 });
});

test('past windows are forgotten, the current one is not', async (t) => {
  const db = await freshDatabase(t);
  const store = new SharedLimitStore(db, KEY_LIMIT);
  for (const window of [WINDOW - 180, WINDOW - 60, WINDOW]) await store.take('k', 'a', window);
  await SharedLimitStore.sweep(db, new Date((WINDOW + 59) * 1000), 100);
  const rows = await db.query<{ window_start: bigint }>(
    sql`select distinct window_start from rate_windows order by window_start`,
  );
  assert.deepEqual(
    rows.map((row) => Number(row.window_start)),
    [WINDOW - 60, WINDOW],
  );
});
