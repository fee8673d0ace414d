import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Database, sql } from '../../server/db/database.ts';
import { migrateUp } from '../../server/db/migrate.ts';
import { freshDatabase } from '../support/database.ts';
import { unpackLastRelease } from './support/last-release.ts';

interface Column {
  type: string;
  nullable: boolean;
  /** The database fills in a value if a statement names none. */
  filled: boolean;
}

/** Returns the columns of each table, as `table.column`. */
async function columnsOf(db: Database): Promise<Map<string, Column>> {
  const rows = await db.query<Column & { name: string }>(sql`
    select table_name || '.' || column_name as name, udt_name as type, is_nullable = 'YES' as nullable,
      (column_default is not null or is_identity = 'YES' or is_generated = 'ALWAYS') as filled
    from information_schema.columns where table_schema = 'public' order by 1`);
  return new Map(rows.map(({ name, ...column }) => [name, column]));
}

/** Returns the changes that would break a release that knows only the previous schema. */
function breaking(before: Map<string, Column>, after: Map<string, Column>): string[] {
  const tables = new Set([...before.keys()].map(tableOf));
  const problems: string[] = [];
  for (const [name, old] of before) {
    const now = after.get(name);
    if (!now) problems.push(`${name} is gone`);
    else if (now.type !== old.type) problems.push(`${name} was ${old.type} and is ${now.type}`);
    else if (old.nullable && !now.nullable) problems.push(`${name} must not be null any more`);
    else if (old.filled && !now.filled && !now.nullable) problems.push(`${name} has no default any more`);
  }
  for (const [name, { nullable, filled }] of after)
    if (!before.has(name) && tables.has(tableOf(name)) && !nullable && !filled)
      problems.push(`${name} is new, must not be null and has no default`);
  return problems;
}

const tableOf = (column: string) => column.split('.')[0]!;

/** Returns a database with the schema of the last release. */
async function lastSchema(t: TestContext): Promise<Database> {
  const db = await freshDatabase(t, { migrated: false });
  const release = join(unpackLastRelease(t), 'server/db/migrate.ts');
  await (await import(pathToFileURL(release).href)).migrateUp(db);
  return db;
}

test('migrations since the last release leave what its nodes use', async (t) => {
  const db = await lastSchema(t);
  const before = await columnsOf(db);
  await migrateUp(db);
  assert.deepEqual(
    breaking(before, await columnsOf(db)),
    [],
    'nodes of the last release run on after the migration: see "A migration" in CONTRIBUTING.md',
  );
});

test('each way to break the last release is found', async (t) => {
  const db = await freshDatabase(t);
  const before = await columnsOf(db);
  const change = async (ddl: string) => {
    await db.script(ddl, { ddl: true });
    return breaking(before, await columnsOf(db));
  };
  assert.deepEqual(
    await change('alter table hosts add column rack text, add column slot int not null default 0'),
    [],
  );
  assert.deepEqual(await change('alter table hosts add column unit int not null'), [
    'hosts.unit is new, must not be null and has no default',
  ]);
  await db.script('alter table hosts drop column unit', { ddl: true });
  const broken = await change(`
    alter table hosts rename column name to label;
    alter table hosts alter column seen_at type text;
    alter table vms alter column host_id set not null;
    drop table migrations`);
  assert.deepEqual(broken, [
    'hosts.name is gone',
    'hosts.seen_at was timestamptz and is text',
    'migrations.applied_at is gone',
    'migrations.name is gone',
    'vms.host_id must not be null any more',
    'hosts.label is new, must not be null and has no default',
  ]);
});
