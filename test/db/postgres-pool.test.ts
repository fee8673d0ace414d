import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { DatabaseAwayError } from '../../server/db/away.ts';
import type { Connection } from '../../server/db/postgres-connection.ts';
import { Pool } from '../../server/db/postgres-pool.ts';
import { ManualClock } from '../../server/platform/clock.ts';

const idle = () => ({ lost: undefined, lose() {}, close: async () => {} }) as unknown as Connection;

/** A pool with one connection, which is lent; opening another one never completes. */
async function busyPool(clock: ManualClock) {
  let first: Connection | undefined = idle();
  const pool = new Pool(() => {
    const connection = first;
    first = undefined;
    return connection ? Promise.resolve(connection) : new Promise(() => {});
  }, clock);
  return { pool, connection: await pool.lend() };
}

/** Returns a function that tells the present outcome of `wait`. */
function watch(wait: Promise<Connection>): () => string {
  let outcome = 'waits';
  wait.then(
    () => (outcome = 'served'),
    (error) => (outcome = error instanceof DatabaseAwayError ? 'refused' : String(error)),
  );
  return () => outcome;
}

test('each caller that waits for a connection is refused after ten seconds of its own', async () => {
  const clock = new ManualClock();
  const { pool } = await busyPool(clock);
  const waits = [watch(pool.lend())];
  const pass = async (ms: number) => {
    clock.advance(ms);
    await setImmediate();
  };
  await pass(4_000);
  waits.push(watch(pool.lend()), watch(pool.share(async (connection) => connection)));
  await pass(5_999);
  assert.deepEqual(
    waits.map((outcome) => outcome()),
    ['waits', 'waits', 'waits'],
  );
  await pass(1);
  assert.deepEqual(
    waits.map((outcome) => outcome()),
    ['refused', 'waits', 'waits'],
  );
  await pass(4_000);
  assert.deepEqual(
    waits.map((outcome) => outcome()),
    ['refused', 'refused', 'refused'],
  );
});

test('a caller served in time is not refused, and does not shorten the wait of the next', async () => {
  const clock = new ManualClock();
  const { pool, connection } = await busyPool(clock);
  const first = watch(pool.lend());
  clock.advance(9_000);
  pool.giveBack(connection);
  await setImmediate();
  const second = watch(pool.lend());
  clock.advance(9_999);
  await setImmediate();
  assert.deepEqual([first(), second()], ['served', 'waits']);
  clock.advance(1);
  await setImmediate();
  assert.equal(second(), 'refused');
  pool.giveBack(connection);
  assert.equal(await pool.lend(), connection);
});

test('a worn connection gets no more work, and is closed once nothing is under way on it', async () => {
  const opened: Connection[] = [];
  const closed: Connection[] = [];
  const pool = new Pool(async () => {
    const connection = { isWorn: false, lose() {}, onLost() {} } as unknown as Connection;
    connection.close = async () => {
      closed.push(connection);
      connection.onLost();
    };
    opened.push(connection);
    return connection;
  });
  const work = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const shares = work.map(({ promise }) => pool.share(() => promise));
  await setImmediate();
  const [first] = opened as [Connection];
  Object.assign(first, { isWorn: true });
  const other = await pool.lend();
  assert.notEqual(other, first);
  work[0]!.resolve();
  await setImmediate();
  assert.deepEqual(closed, []);
  work[1]!.resolve();
  await Promise.all(shares);
  assert.deepEqual(closed, [first]);
  Object.assign(other, { isWorn: true });
  assert.deepEqual(closed, [first]);
  pool.giveBack(other);
  assert.deepEqual(closed, [first, other]);
  assert.ok(![first, other].includes(await pool.lend()));
});
