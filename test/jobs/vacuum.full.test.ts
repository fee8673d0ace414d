// Runs on the embedded engine only: PostgreSQL vacuums automatically.
import assert from 'node:assert/strict';
import test from 'node:test';
import { one, sql } from '../../server/db/database.ts';
import { vacuum } from '../../server/jobs/timers/vacuum.ts';
import { freshDatabase } from '../support/database.ts';

test('rows that are updated over and over do not make the embedded database grow', async (t) => {
  const db = await freshDatabase(t);
  if (db.engine !== 'pglite') return t.skip('PostgreSQL has autovacuum');
  const size = async () =>
    Number((await one<{ n: bigint }>(db, sql`select pg_relation_size('settings') as n`)).n);
  const rewrite = () =>
    db.query(sql`
      insert into settings select 'row ' || i, to_jsonb(repeat('x', 500)) from generate_series(1, 200) i
      on conflict (name) do update set value = excluded.value`);
  const rounds = async (n: number) => {
    for (let round = 0; round < n; round++) {
      await rewrite();
      await vacuum(db);
    }
  };
  await rounds(3);
  const settled = await size();
  await rounds(10);
  assert.ok((await size()) <= settled, `${settled} bytes before, ${await size()} after`);
});

test('the log of the embedded database does not keep all that was ever written', async (t) => {
  const db = await freshDatabase(t);
  if (db.engine !== 'pglite') return t.skip('PostgreSQL has a checkpointer');
  const files = async () =>
    Number((await one<{ n: bigint }>(db, sql`select count(*) as n from pg_ls_waldir()`)).n);
  const round = async () => {
    for (let megabyte = 0; megabyte < 50; megabyte++)
      await db.query(sql`select pg_logical_emit_message(true, '', repeat('x', 1000000))`);
    await vacuum(db);
  };
  await round();
  await round();
  const settled = await files();
  for (let n = 0; n < 4; n++) await round();
  assert.ok((await files()) <= settled + 1, `${settled} files before, ${await files()} after`);
});
