import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, one, raw, sql, type Transaction } from '../../server/db/database.ts';
import { type Conflict, repeatingConflicts } from '../../server/db/repeat.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { engine, freshDatabase } from '../support/database.ts';

function repeating(db: Database) {
  const conflicts: Conflict[] = [];
  const repeated = repeatingConflicts(db, {
    clock: systemClock,
    onConflict: (conflict) => conflicts.push(conflict),
  });
  return { db: repeated, conflicts };
}

const fail = (db: Pick<Database, 'query'>, code: string) =>
  db.query(sql`select 1 from pg_temp_fail(${code})`);

async function withFailures(t: Parameters<typeof freshDatabase>[0]) {
  const db = await freshDatabase(t);
  await db.script(
    `create function pg_temp_fail(code text) returns int language plpgsql as $$
     begin raise exception 'as asked' using errcode = code; end $$;
     create table seen (n int)`,
    { ddl: true },
  );
  return repeating(db);
}

const rows = async (db: Database) =>
  (await one<{ n: number }>(db, sql`select count(*)::int as n from seen`)).n;

for (const [code, name] of [
  ['40P01', 'deadlock'],
  ['40001', 'serialization_failure'],
] as const)
  test(`a transaction that ends with ${code} is run again, as if for the first time`, async (t) => {
    const { db, conflicts } = await withFailures(t);
    const told: number[] = [];
    let runs = 0;
    const result = await db.transaction(async (tx) => {
      const run = ++runs;
      await tx.query(sql`insert into seen values (${run})`);
      tx.afterCommit(() => told.push(run));
      if (run < 3) await fail(tx, code);
      return run;
    });
    assert.equal(result, 3);
    assert.deepEqual(told, [3]);
    assert.equal(await rows(db), 1);
    assert.deepEqual(conflicts, [name, name]);
  });

test('an operation that never works is given up after some attempts, with the last error', async (t) => {
  const { db, conflicts } = await withFailures(t);
  let runs = 0;
  await assert.rejects(
    db.transaction(async (tx) => {
      runs++;
      await fail(tx, '40P01');
    }),
    { code: '40P01' },
  );
  assert.equal(runs, 4);
  assert.equal(conflicts.length, 4);
  await assert.rejects(fail(db, '40001'), { code: '40001' });
  assert.equal(conflicts.length, 8);
});

test('any other error is passed on at once', async (t) => {
  const { db, conflicts } = await withFailures(t);
  let runs = 0;
  const work = async (tx: Transaction) => {
    runs++;
    await fail(tx, '23505');
  };
  await assert.rejects(db.transaction(work), { code: '23505' });
  assert.equal(runs, 1);
  assert.deepEqual(conflicts, []);
});

test('a transaction continues if a node of the next release has added columns', {
  skip: engine === 'pglite' && 'the embedded engine has one node',
}, async (t) => {
  const { db, conflicts } = await withFailures(t);
  // More statements than the attempts of a transaction.
  const all = Array.from({ length: 6 }, (_, n) => sql`select *, ${raw(String(n))} as which from seen`);
  const read = () =>
    db.transaction(async (tx) => {
      const found: object[] = [];
      for (const statement of all) found.push(...(await tx.query(statement)));
      return found;
    });
  await db.query(sql`insert into seen values (1)`);
  for (let run = 0; run < 7; run++) assert.equal((await read()).length, 6);
  await db.script('alter table seen add column colour text');
  const [first] = await read();
  assert.deepEqual(first, { n: 1, colour: null, which: 0 });
  assert.deepEqual(conflicts, ['outdated_statement']);
});

test('two transactions that wait for each other both complete', {
  skip: engine === 'pglite' && 'the embedded engine has one connection: nothing waits',
}, async (t) => {
  const { db, conflicts } = await withFailures(t);
  await db.query(sql`insert into seen values (1), (2)`);
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lock = (tx: Transaction, n: number) => tx.query(sql`update seen set n = n where n = ${n}`);
  const inOrder = (mine: number, first: number, second: number) =>
    db.transaction(async (tx) => {
      await lock(tx, first);
      both[mine]!.resolve();
      await Promise.all(both.map(({ promise }) => promise));
      await lock(tx, second);
    });
  await Promise.all([inOrder(0, 1, 2), inOrder(1, 2, 1)]);
  assert.deepEqual([...new Set(conflicts)], ['deadlock']);
});
