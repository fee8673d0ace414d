import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, one, raw, type Sql, sql, type Transaction } from '../../server/db/database.ts';
import { defer } from '../support/cleanup.ts';
import { engine, freshDatabaseLocation } from '../support/database.ts';

const SERVER_ONLY = { skip: engine === 'pglite' && 'the embedded engine has one connection' };

/** More connections than a transaction needs, but fewer than a node has. */
const OPEN = 3;
/** Concurrent statements, enough for all other connections to take part. */
const AT_ONCE = 20;
/** The number of outdated statements of a node in a rolling upgrade. */
const OUTDATED = 40;

/** Returns a statement with a unique text. */
const nth = (n: number): Sql => sql`select ${n}::int as n ${raw(`/* ${n} */`)}`;

async function seen(t: TestContext) {
  const location = await freshDatabaseLocation(t);
  const db = await location.open();
  defer(t, () => db.close());
  await db.script(
    'create table seen (n int); create table changing (n int); insert into changing values (1)',
  );
  return { db, location };
}

const insert = (n: number) => sql`insert into seen values (${n})`;
const rows = async (db: Database) =>
  (await db.query<{ n: number }>(sql`select n from seen order by n`)).map(({ n }) => n);

/** Runs statements, some concurrently, and checks that each gets its own result. */
async function runAll(db: Database, numbers: number[]): Promise<void> {
  const left = numbers.values();
  const worker = async () => {
    for (const n of left) assert.deepEqual(await db.query(nth(n)), [{ n }]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

/** Keeps transactions open during `work`; each writes before and after it. */
async function whileOpen(db: Database, work: () => Promise<void>): Promise<void> {
  const begun: Promise<void>[] = [];
  const done = Promise.withResolvers<void>();
  const open = range(0, OPEN).map((index) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    begun.push(promise);
    const transaction = db.transaction(async (tx) => {
      await tx.query(insert(index));
      resolve();
      await done.promise;
      await tx.query(insert(OPEN + index));
    });
    transaction.catch(reject);
    return transaction;
  });
  await Promise.all(begun);
  await work().finally(done.resolve);
  await Promise.all(open);
}

for (const count of [600, 4_000])
  test(`${count} statement texts leave open transactions as they are`, SERVER_ONLY, async (t) => {
    const { db } = await seen(t);
    await whileOpen(db, () => runAll(db, range(0, count)));
    assert.deepEqual(await rows(db), range(0, 2 * OPEN));
  });

test('a transaction may consist of more statement texts than a connection keeps', SERVER_ONLY, async (t) => {
  const { db } = await seen(t);
  const run = async (tx: Transaction) => {
    await tx.query(insert(1));
    for (const n of range(0, 1_200)) assert.deepEqual(await tx.query(nth(n)), [{ n }]);
    await tx.send(insert(2));
  };
  await Promise.all([db.transaction(run), runAll(db, range(3_000, 1_000))]);
  assert.deepEqual(await rows(db), [1, 2]);
});

test(
  'transactions that begin with new texts commit while hundreds of others begin',
  SERVER_ONLY,
  async (t) => {
    const { db } = await seen(t);
    const write = (n: number) =>
      db.transaction(async (tx) => {
        // In the same message as `begin`.
        const [found] = await Promise.all([tx.query(nth(n)), tx.query(nth(n + 10_000)), tx.send(insert(n))]);
        assert.deepEqual(found, [{ n }]);
      });
    const numbers = range(0, 1_500);
    const left = numbers.values();
    const writer = async () => {
      for (const n of left) await write(n);
    };
    await Promise.all([...range(0, 12).map(writer), runAll(db, range(20_000, 1_500))]);
    assert.deepEqual(await rows(db), numbers);
  },
);

test('a connection keeps a bounded number of statements', SERVER_ONLY, async (t) => {
  const { db } = await seen(t);
  await runAll(db, range(0, 8_000));
  const sessions = await Promise.all(range(0, 6).map(() => db.reserve()));
  defer(t, () => {
    for (const session of sessions) session.release();
  });
  for (const session of sessions) {
    const { count } = await one<{ count: number }>(
      session,
      sql`select count(*)::int as count from pg_prepared_statements`,
    );
    assert.ok(count < 1_600, `${count} statements`);
  }
});

test('statements outdated by the next release leave open transactions unchanged', SERVER_ONLY, async (t) => {
  const { db, location } = await seen(t);
  const next = await location.open();
  defer(t, () => next.close());
  const read = (n: number) => db.query<{ n: number }>(sql`select * ${raw(`/* ${n} */`)} from changing`);
  const readAll = async () => {
    for (const found of await Promise.all(range(0, OUTDATED).map(read))) assert.equal(found[0]!.n, 1);
  };
  for (let turn = 0; turn < 4; turn++) await readAll();
  for (const column of ['one', 'two', 'three'])
    await whileOpen(db, async () => {
      await next.script(`alter table changing add column ${column} int`);
      await readAll();
    });
});
