import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from '../../server/db/database.ts';
import { Connection } from '../../server/db/postgres-connection.ts';
import { defer } from '../support/cleanup.ts';
import { engine, freshDatabase, freshDatabaseLocation } from '../support/database.ts';

async function seen(t: TestContext) {
  const db = await freshDatabase(t);
  await db.script('create table seen (n int primary key)', { ddl: true });
  const rows = async () =>
    (await db.query<{ n: number }>(sql`select n from seen order by n`)).map(({ n }) => n);
  return { db, rows };
}

test('sends of a transaction are executed in its order, and visible to its next query', async (t) => {
  const { db, rows } = await seen(t);
  const found = await db.transaction(async (tx) => {
    await tx.send(sql`insert into seen values (1), (2)`);
    await tx.send(sql`delete from seen where n = 1`);
    return tx.query<{ n: number }>(sql`select n from seen`);
  });
  assert.deepEqual(found, [{ n: 2 }]);
  assert.deepEqual(await rows(), [2]);
});

test('statements that are asked for together run in their order, known to the service or new', async (t) => {
  const { db, rows } = await seen(t);
  const insert = (n: number) => sql`insert into seen values (${n}) returning n`;
  await db.query(insert(1));
  await db.transaction(async (tx) => {
    const [, inserted, [row]] = await Promise.all([
      tx.query(sql`delete from seen`),
      tx.query(insert(1)),
      tx.query<{ count: number }>(sql`select count(*)::int as count from seen`),
    ]);
    assert.deepEqual(inserted, [{ n: 1 }]);
    assert.deepEqual(row, { count: 1 });
  });
  assert.deepEqual(await rows(), [1]);
});

test('a failing send fails the transaction with its own error', async (t) => {
  const { db, rows } = await seen(t);
  const duplicate = { code: '23505' };
  let followed = false;
  const last = db.transaction(async (tx) => {
    tx.afterCommit(() => {
      followed = true;
    });
    await tx.send(sql`insert into seen values (1)`);
    await tx.send(sql`insert into seen values (1)`);
  });
  await assert.rejects(last, duplicate);
  const followedByOthers = db.transaction(async (tx) => {
    await tx.send(sql`insert into seen values (1), (1)`);
    await tx.send(sql`insert into seen values (2)`);
    await tx.query(sql`select n from seen`);
  });
  await assert.rejects(followedByOthers, duplicate);
  assert.equal(followed, false);
  assert.deepEqual(await rows(), []);
});

test('a write is not standalone if the transaction did not begin', {
  skip: engine === 'pglite' && 'the embedded engine is asked for one thing at a time',
}, async (t) => {
  const { db, rows } = await seen(t);
  const insert = (n: number) => sql`insert into seen values (${n})`;
  // The service knows the statement, so nothing else delays it.
  await db.query(insert(1));
  const { runTogether } = Connection.prototype;
  t.mock.method(Connection.prototype, 'runTogether', function (this: Connection, [, ...runs]) {
    return runTogether.call(this, [{ statement: { text: 'begin, please' }, values: [] }, ...runs]);
  } as typeof runTogether);
  const refused = { code: '42601' };
  await assert.rejects(
    db.transaction((tx) => tx.send(insert(2))),
    refused,
  );
  await assert.rejects(
    db.transaction((tx) => tx.query(insert(3))),
    refused,
  );
  const afterReading = db.transaction(async (tx) => {
    await tx.query(sql`select n from seen for update`);
    await tx.send(insert(4));
  });
  await assert.rejects(afterReading, refused);
  const together = db.transaction((tx) =>
    Promise.all([tx.query(sql`select n from seen`), tx.query(insert(5))]),
  );
  await assert.rejects(together, refused);
  // The refusal may be read, and the connection closed, before the reply to the commit arrives.
  const { send } = Connection.prototype;
  t.mock.method(Connection.prototype, 'send', async function (this: Connection, query) {
    if (query.text !== 'commit') return send.call(this, query);
    while (!this.lost) await setImmediate();
    throw this.lost;
  } as typeof send);
  await assert.rejects(
    db.transaction((tx) => tx.send(insert(6))),
    refused,
  );
  t.mock.restoreAll();
  assert.deepEqual(await rows(), [1]);
});

test('statements sent with the begin are answered separately, up to the failing one', {
  skip: engine === 'pglite' && 'the embedded engine is asked for one thing at a time',
}, async (t) => {
  const { db, rows } = await seen(t);
  const insert = (n: number) => sql`insert into seen values (${n}) returning n`;
  const list = sql`select n from seen order by n`;
  // Twice, because the second time both the service and the connection know everything.
  for (const n of [1, 2]) {
    const answers = await db.transaction((tx) =>
      Promise.allSettled([tx.query(list), tx.query(insert(n)), tx.query(insert(n + 10)), tx.query(list)]),
    );
    const found = answers.map((answer) => answer.status === 'fulfilled' && answer.value.length);
    assert.deepEqual(found, [2 * (n - 1), 1, 1, 2 * n]);
  }
  const failing = db.transaction(async (tx) => {
    const all = [tx.query(list), tx.query(insert(1)), tx.query(sql`select n as fresh from seen`)];
    const answers = await Promise.allSettled(all);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    );
  });
  await assert.rejects(failing, { code: '23505' });
  // The skipped statement was not prepared on that connection; the next query runs it.
  const fresh = sql`select n as fresh from seen order by n`;
  assert.equal((await db.transaction((tx) => tx.query(fresh))).length, 4);
  assert.equal((await db.transaction((tx) => tx.query(sql`select n as fresh from seen`))).length, 4);
  assert.deepEqual(await rows(), [1, 2, 11, 12]);
});

test('a transaction without statements, or with an invalid one, leaves its connection unchanged', async (t) => {
  const { db, rows } = await seen(t);
  assert.equal(await db.transaction(async () => 'nothing'), 'nothing');
  const missing = db.transaction((tx) =>
    Promise.all([tx.query(sql`insert into seen values (1)`), tx.query(sql`select 1 from absent`)]),
  );
  await assert.rejects(missing, { code: '42P01' });
  assert.deepEqual(await rows(), []);
  await db.transaction((tx) => tx.query(sql`insert into seen values (1)`));
  assert.deepEqual(await rows(), [1]);
});

test('a server that answered while this process was busy is not taken to be away', {
  skip: engine === 'pglite' && 'a server only',
}, async (t) => {
  const { env } = await freshDatabaseLocation(t);
  const opening = Connection.open(env.DATABASE_URL!);
  // As long as a module takes to compile on a busy machine, and longer than the network's timeout.
  for (const end = performance.now() + 1_200; performance.now() < end; );
  const connection = await opening;
  defer(t, () => connection.close());
  assert.ok(connection.pid > 0);
});
