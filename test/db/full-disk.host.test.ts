// Runs on both engines: each has its own way of running out of space.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, DatabaseAwayError, notify, one, sql } from '../../server/db/database.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { defer } from '../support/cleanup.ts';
import { noSmallDisk, type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { copyPgliteTemplate } from '../support/template.ts';

/**
 * The engine's statistics leave a timer of this many milliseconds behind if it did not end in order. Nothing clears it
 * from outside, and the file must end with nothing open.
 */
const ENGINE_TIMER_MS = 10_000;
/** Space for a database and three more files of its log. */
const SIZE_MB = 130;

interface World {
  disk: SmallDisk;
  db: Database;
  /** Lines of the outage log. */
  log: string[];
}

async function startWorld(t: TestContext): Promise<World> {
  const disk = await smallDisk(t, SIZE_MB);
  const directory = join(disk.directory, 'pglite');
  await copyPgliteTemplate(directory);
  const log: string[] = [];
  const db = await openPglite(directory, {
    onAway: ({ message }) => log.push(message),
    onBack: () => log.push('back'),
  });
  defer(t, () => db.close());
  await db.script('create table entries (n int primary key, what text)', { ddl: true });
  return { disk, db, log };
}

/** Inserts rows from `first` on until one fails; returns the acknowledged ones and the failure. */
async function untilFailure(db: Database, what: (n: number) => string) {
  const { next } = await one<{ next: number }>(db, sql`select coalesce(max(n), 0) + 1 as next from entries`);
  for (let n = next; ; n++) {
    try {
      await db.transaction(async (tx) => {
        await tx.query(sql`insert into entries values (${n}, ${what(n)})`);
      });
    } catch (error) {
      return { acknowledged: n - 1, error };
    }
  }
}

async function count(db: Database): Promise<number> {
  return Number((await one<{ n: bigint }>(db, sql`select count(*) as n from entries`)).n);
}

async function untilBack(db: Database): Promise<void> {
  while (
    await db.check().then(
      () => false,
      () => true,
    )
  )
    await sleep(20);
}

const reasonFor = (disk: SmallDisk, freeMb: string) =>
  new RegExp(
    `^not enough space for the database in ${disk.directory}/pglite: ${freeMb} MB are free, but it needs 32 MB$`,
  );

test('tables that cannot grow refuse writes, and everything else continues', {
  skip: noSmallDisk,
}, async (t) => {
  const { disk, db, log } = await startWorld(t);
  const session = await db.reserve();
  await disk.fill();
  const { acknowledged, error } = await untilFailure(db, (n) => String(n).repeat(500));
  assert.ok(error instanceof DatabaseAwayError && !error.outcomeUnknown, String(error));
  await assert.rejects(db.check(), DatabaseAwayError);
  assert.equal(await count(db), acknowledged, 'what is only read goes on');
  await assert.rejects(
    db.transaction(async (tx) => {
      // A failure that the transaction ignores is still the reason why it cannot commit.
      await tx
        .query(sql`insert into entries select -g, repeat('x', 5000) from generate_series(1, 500) g`)
        .catch(() => {});
    }),
    DatabaseAwayError,
  );
  assert.equal(log.length, 1);
  assert.match(log[0]!, reasonFor(disk, '0'));
  await disk.makeRoom();
  await untilBack(db);
  assert.deepEqual(log.slice(1), ['back']);
  await db.query(sql`insert into entries values (${acknowledged + 1}, 'more')`);
  assert.equal(await count(db), acknowledged + 1);
  await session.query(sql`select 1`);
});

test('an engine that cannot write its log is reopened when there is space', {
  skip: noSmallDisk,
}, async (t) => {
  const { disk, db, log } = await startWorld(t);
  const heard: string[] = [];
  let gaps = 0;
  const stopListening = await db.listen(
    'a channel',
    (payload) => heard.push(payload),
    () => gaps++,
  );
  const session = await db.reserve();
  await session.query(sql`select pg_advisory_lock(7)`);
  // Less than the log's next file, but enough for the tables.
  await disk.fill(12);
  await db.query(sql`insert into entries values (1, 'first')`);
  let tries = 0;
  for (let failure: unknown; !failure; ) {
    failure = await db
      .transaction(async (tx) => {
        tries++;
        await tx.query(sql`update entries set what = ${tries} where n = 1`);
        // Written only to the log.
        await tx.query(sql`select pg_logical_emit_message(true, '', repeat('x', 100000))`);
      })
      .catch((error) => error);
  }
  for (const ask of [
    () => db.query(sql`select 1`),
    () => db.check(),
    () => session.query(sql`select 1`),
    () => db.script('select 1'),
    () => db.transaction(async (tx) => tx.query(sql`select 1`)),
    () => db.listen('another', () => {}),
  ])
    await assert.rejects(
      ask(),
      (error) => error instanceof DatabaseAwayError && !error.outcomeUnknown,
      'whatever is asked, at once',
    );
  assert.equal(log.length, 1);
  assert.match(log[0]!, reasonFor(disk, '1[0-2]'));

  await disk.makeRoom();
  await untilBack(db);
  assert.deepEqual([log.slice(1), gaps], [['back'], 1]);
  const { what } = await one<{ what: string }>(db, sql`select what from entries where n = 1`);
  assert.ok([String(tries - 1), String(tries)].includes(what), `${what} of ${tries} tries`);
  await assert.rejects(session.query(sql`select 1`), DatabaseAwayError, 'its lock is gone, and so is it');
  const { held } = await one<{ held: bigint }>(
    db,
    sql`select count(*) as held from pg_locks where locktype = 'advisory'`,
  );
  assert.equal(held, 0n);
  assert.equal(log.length, 2, 'a session of the former engine is no outage');
  await notify(db, 'a channel', 'hello');
  await notify(db, 'another', 'unheard');
  assert.deepEqual(heard, ['hello']);
  await stopListening();
  await notify(db, 'a channel', 'more');
  assert.deepEqual(heard, ['hello']);
});

// A transaction's log is written at its commit, unless it exceeds the engine's buffer of 1 MB. A statement that writes
// more than one file of the log (16 MB) needs the next file wherever it begins.
for (const { what, bytes, unknown } of [
  { what: 'a commit that breaks the engine is of unknown outcome', bytes: 50_000, unknown: true },
  { what: 'a statement that breaks the engine has changed nothing', bytes: 18_000_000, unknown: false },
])
  test(what, { skip: noSmallDisk }, async (t) => {
    const { disk, db } = await startWorld(t);
    await disk.fill(12);
    let failure: unknown;
    while (!failure) {
      failure = await db
        .transaction((tx) =>
          tx.query(sql`select pg_logical_emit_message(true, '', repeat('x', ${bytes}::int))`),
        )
        .then(
          () => undefined,
          (error) => error,
        );
    }
    assert.ok(failure instanceof DatabaseAwayError, String(failure));
    assert.equal(failure.outcomeUnknown, unknown);
  });

test('a database on a full disk is closed in order, and opened with all that was acknowledged', {
  skip: noSmallDisk,
}, async (t) => {
  defer(t, () => sleep(ENGINE_TIMER_MS));
  const { disk, db } = await startWorld(t);
  await disk.fill();
  const { acknowledged } = await untilFailure(db, (n) => String(n).repeat(500));
  await db.close();
  await disk.makeRoom();
  const again = await openPglite(join(disk.directory, 'pglite'));
  defer(t, () => again.close());
  assert.equal(await count(again), acknowledged);
});
