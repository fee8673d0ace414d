import assert from 'node:assert/strict';
import { test } from 'node:test';
import { one, raw, type Session, sql } from '../../server/db/database.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

/** More runs than either engine keeps a plan for. */
const RUNS = 1_100;
/** Without autovacuum, which would run once a minute; the embedded engine has none. */
const TABLE = 'create table growing (id text primary key, other int) with (autovacuum_enabled = false)';

/** Returns as text the plan with which this session runs a statement that it has prepared. */
async function planOf(session: Session, statement: { text: string }): Promise<string> {
  const { name } = await one<{ name: string }>(
    session,
    sql`select name from pg_prepared_statements where statement = ${statement.text}`,
  );
  const lines = await session.query<{ 'QUERY PLAN': string }>(sql`explain execute ${raw(name)}('1')`);
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

test('a statement planned on an empty table does not read the whole table forever', async (t) => {
  const db = await freshDatabase(t);
  await db.script(TABLE, { ddl: true });
  await db.script('vacuum growing');
  const session = await db.reserve();
  defer(t, () => session.release());
  const find = (id: string) => sql`select other from growing where id = ${id}`;
  const run = async (count: number) => {
    for (let n = 0; n < count; n++) await session.query(find('1'));
  };
  await run(10);
  assert.match(await planOf(session, find('1')), /Seq Scan/);
  await session.query(sql`insert into growing select n::text, n from generate_series(1, 20000) as n`);
  await run(RUNS);
  assert.match(await planOf(session, find('1')), /growing_pkey/);
});
