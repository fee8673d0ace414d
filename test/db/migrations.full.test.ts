// Runs on both engines: migrations are written in one dialect for both.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from '../../server/db/database.ts';
import { MIGRATIONS, migrateDown, migrateUp } from '../../server/db/migrate.ts';
import { engine, freshDatabase, freshDatabaseLocation } from '../support/database.ts';
import { dumpSchema } from '../support/schema-dump.ts';

const NAMES = MIGRATIONS.map((migration) => migration.name);
const GOLDEN = join(import.meta.dirname, '../../server/db/schema.sql');
const NODE = join(import.meta.dirname, '../support/migrate-process.ts');

test('every migration is applied, undone and applied again', async (t) => {
  const db = await freshDatabase(t, { migrated: false });
  assert.deepEqual(await migrateUp(db), NAMES);
  const schema = await dumpSchema(db);
  assert.deepEqual(await migrateUp(db), [], 'a second start has nothing to do');

  await migrateDown(db);
  const remaining = sql`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S', 'v')
    union all select typname from pg_type where typnamespace = 'public'::regnamespace and typtype in ('d', 'e')
    union all select proname from pg_proc where pronamespace = 'public'::regnamespace`;
  assert.deepEqual(
    await db.query(remaining),
    [{ name: 'migrations' }],
    'only the record of migrations is left',
  );

  assert.deepEqual(await migrateUp(db), NAMES);
  assert.equal(await dumpSchema(db), schema);
});

test('the schema is the one in schema.sql', async (t) => {
  const db = await freshDatabase(t);
  assert.equal(await dumpSchema(db), readFileSync(GOLDEN, 'utf8'), 'run: npm run schema');
});

test('migrations have distinct names that sort in their order', () => {
  assert.deepEqual(NAMES, [...new Set(NAMES)].sort());
});

test('a migration that fails leaves nothing behind', async (t) => {
  const db = await freshDatabase(t, { migrated: false });
  // Conflicts with the first migration's last table.
  await db.script('create table simulator_guests (id text)');
  await assert.rejects(migrateUp(db), { code: '42P07' });
  assert.deepEqual(await db.query(sql`select name from migrations`), []);
  await db.script('drop table simulator_guests');
  assert.deepEqual(await migrateUp(db), NAMES);
});

test('nodes that start together all succeed', { skip: engine !== 'postgres' }, async (t) => {
  const location = await freshDatabaseLocation(t, { migrated: false });
  const env = { ...process.env, DATABASE_URL: location.env.DATABASE_URL };
  const start = () => promisify(execFile)(process.execPath, [NODE], { env });
  const nodes = await Promise.all([start(), start(), start()]);
  const applied = nodes.flatMap(({ stdout }) => JSON.parse(stdout) as string[]);
  assert.deepEqual(applied.sort(), NAMES, 'each migration by one of them');
});
