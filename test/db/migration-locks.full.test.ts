import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Database, one, type Session, sql } from '../../server/db/database.ts';
import { type BusyTry, type Migration, migrateUp } from '../../server/db/migrate.ts';
import type { Clock } from '../../server/platform/clock.ts';
import { engine, freshDatabase } from '../support/database.ts';

const ONLY_SERVER = { skip: engine !== 'postgres' };

/** Locks no table at first and then needs one that is read second. */
const WIDENED: Migration = {
  name: '9999-widened',
  up: 'create table beside (id int); alter table accounts add column beside int; insert into beside values (1)',
  down: '',
};

/** Opens a session that reads `accounts` in a transaction that stays open, like `pg_dump`. */
async function longRead(db: Database): Promise<Session> {
  const session = await db.reserve();
  await session.query(sql`begin`);
  await session.query(sql`set local idle_in_transaction_session_timeout = 0`);
  await session.query(sql`lock table accounts in access share mode`);
  return session;
}

/** Waits until some session waits for a lock of `accounts`, or `running` is over. */
async function untilQueued(db: Database, running: { over: boolean }): Promise<void> {
  for (;;) {
    const { waiting } = await one<{ waiting: boolean }>(
      db,
      sql`select exists (select from pg_locks where not granted and relation = 'accounts'::regclass) as waiting`,
    );
    if (waiting || running.over) return;
    await setImmediate();
  }
}

/** A clock whose pauses the test ends. */
function pausingClock() {
  const pauses: (() => void)[] = [];
  const clock: Clock = {
    now: () => new Date(),
    sleep: () => new Promise((resolve) => pauses.push(resolve)),
  };
  return { clock, goOn: () => pauses.shift()?.() };
}

test('a read does not queue behind a migration that waits for a dump', ONLY_SERVER, async (t) => {
  const db = await freshDatabase(t);
  const dump = await longRead(db);
  const { clock, goOn } = pausingClock();
  const busy: BusyTry[] = [];
  const running = { over: false };
  const migration = migrateUp(db, { migrations: [WIDENED], clock, onBusy: (attempt) => busy.push(attempt) });
  migration.finally(() => (running.over = true)).catch(() => {});

  // Each attempt lets the reads queued behind it through, although the dump continues.
  for (const tries of [1, 2]) {
    await untilQueued(db, running);
    await db.query(sql`select count(*) from accounts`);
    while (busy.length < tries) await setImmediate();
    const beside = await one(db, sql`select to_regclass('beside') is null as absent`);
    assert.deepEqual(beside, { absent: true }, 'what the try had done before is undone');
    if (tries === 1) goOn();
  }
  assert.deepEqual(
    busy.map(({ migration, tries }) => [migration, tries]),
    [
      ['9999-widened', 1],
      ['9999-widened', 2],
    ],
  );

  await dump.query(sql`commit`);
  dump.release();
  goOn();
  assert.deepEqual(await migration, ['9999-widened']);
  assert.deepEqual(await db.query(sql`select id from beside`), [{ id: 1 }], 'all of it, once');
});

test(
  'a migration that never gets its table is given up and leaves nothing behind',
  ONLY_SERVER,
  async (t) => {
    const db = await freshDatabase(t);
    const dump = await longRead(db);
    const clock: Clock = { now: () => new Date(), sleep: async () => {} };
    let tries = 0;
    const given = migrateUp(db, { migrations: [WIDENED], clock, onBusy: () => tries++ });
    await assert.rejects(given, {
      message: /^Migration 9999-widened needs a table that another session/,
    });
    assert.equal(tries, 34, 'every try but the last is reported');
    await dump.query(sql`commit`);
    dump.release();
    assert.deepEqual(await db.query(sql`select name from migrations where name = '9999-widened'`), []);
    assert.deepEqual(await migrateUp(db, { migrations: [WIDENED] }), ['9999-widened']);
  },
);

test('a statement that cannot run in a transaction is refused at once', ONLY_SERVER, async (t) => {
  const db = await freshDatabase(t);
  const busy: BusyTry[] = [];
  const concurrent: Migration = {
    name: '9999-concurrent',
    up: 'create index concurrently beside on accounts (name)',
    down: '',
  };
  const refused = migrateUp(db, { migrations: [concurrent], onBusy: (attempt) => busy.push(attempt) });
  await assert.rejects(refused, { code: '25001' });
  assert.deepEqual(busy, []);
  assert.deepEqual(await db.query(sql`select name from migrations where name = '9999-concurrent'`), []);
});
