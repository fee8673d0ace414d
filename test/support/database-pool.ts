import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { type Database, raw, sql } from '../../server/db/database.ts';
import { defer } from './cleanup.ts';
import { openPgliteInMemory } from './template.ts';

/** The size in bytes above which emptying a table takes longer than opening another database. */
const LARGEST_EMPTIED = 8 * 2 ** 20;

/** The state of a migrated database before its first test. */
interface Origin {
  schema: string;
  /** The rows that migrations wrote, by table, as a JSON array. */
  rows: Map<string, string>;
  /** All tables, each before the ones that it references. */
  order: string[];
  /** Scripts for the trigger functions that forbid deletions: `off` disables them, `on` restores them. */
  guards: { off: string; on: string };
}

/** An embedded database that tests use one after the other. */
interface Pooled {
  db: Database;
  dump: () => Promise<Blob>;
  origin: Origin;
}

/**
 * Returns a fingerprint of the schema: counts and newest row versions of its catalogs, and the bodies of its functions.
 * It changes if a test has left a trigger, a table or a column behind.
 */
async function schemaOf(db: Database): Promise<string> {
  const catalog = (name: string, oid = 'oid') =>
    raw(`select '${name}' as name, count(*)::int as n, max(xmin::text::bigint)::text as newest
      from ${name} where ${oid} >= 16384`);
  const rows = await db.query(sql`
    ${catalog('pg_class')} union all ${catalog('pg_attribute', 'attrelid')}
    union all ${catalog('pg_constraint')} union all ${catalog('pg_trigger')}
    union all select 'pg_proc', count(*)::int, md5(string_agg(prosrc, '' order by oid)) from pg_proc where oid >= 16384
    order by 1`);
  return JSON.stringify(rows);
}

/** Returns the tables in an order in which their rows can be deleted. */
async function orderOf(db: Database): Promise<string[]> {
  const links = await db.query<{ child: string; parent: string }>(sql`
    select distinct conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
    where contype = 'f' and conrelid <> confrelid`);
  const tables = await db.query<{ name: string }>(sql`
    select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`);
  const order = new Set<string>();
  const visit = (name: string) => {
    for (const { child } of links.filter(({ parent }) => parent === name))
      if (!order.has(child)) visit(child);
    order.add(name);
  };
  for (const { name } of tables) visit(name);
  return [...order];
}

/** Returns the trigger functions that run before a deletion; all of them exist to forbid it. */
async function guardsOf(db: Database): Promise<Origin['guards']> {
  const guards = await db.query<{ name: string; definition: string }>(sql`
    select distinct proname as name, pg_get_functiondef(p.oid) as definition
    from pg_trigger join pg_proc p on p.oid = tgfoid where tgtype & 2 <> 0 and tgtype & 8 <> 0 and not tgisinternal`);
  const off = guards.map(
    ({ name }) =>
      `create or replace function ${name}() returns trigger language plpgsql as 'begin return old; end';`,
  );
  return { off: off.join(''), on: guards.map(({ definition }) => `${definition};`).join('') };
}

/**
 * Returns the tables that have been written to since they were created, with their sizes. Most tests do not touch most
 * tables.
 */
function writtenTables(db: Database): Promise<{ name: string; bytes: bigint }[]> {
  return db.query(sql`
    select oid::regclass::text as name, pg_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`);
}

async function originOf(db: Database): Promise<Origin> {
  const rows = new Map<string, string>();
  for (const { name } of await writtenTables(db)) {
    const [all] = await db.query<{ json: string }>(
      sql`select coalesce(json_agg(t), '[]')::text as json from ${raw(name)} t`,
    );
    rows.set(name, all!.json);
  }
  return { schema: await schemaOf(db), rows, order: await orderOf(db), guards: await guardsOf(db) };
}

/**
 * Restores the initial rows. Returns false if that is not worthwhile or the schema has changed.
 *
 * Triggers and foreign keys stay active, except for the triggers that protect the books from deletion. Disabling all of
 * them (`session_replication_role`) would be shorter, but makes PostgreSQL plan each statement again, which takes a
 * third of a second per test.
 */
async function restore(db: Database, { schema, rows, order, guards }: Origin): Promise<boolean> {
  const tables = await writtenTables(db);
  if (tables.some(({ bytes }) => bytes > LARGEST_EMPTIED) || (await schemaOf(db)) !== schema) return false;
  const written = new Set(tables.map(({ name }) => name));
  const deletions = order.filter((name) => written.has(name)).map((name) => `delete from ${name};`);
  await db.script(`begin; ${guards.off} ${deletions.join('')} ${guards.on} commit`);
  await db.transaction(async (tx) => {
    for (const [name, json] of rows) {
      await tx.query(
        sql`insert into ${raw(name)} select * from json_populate_recordset(null::${raw(name)}, ${json}::json)`,
      );
    }
    await tx.query(sql`
      select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) from pg_sequences
      where last_value is not null`);
    await tx.query(sql`select pg_advisory_unlock_all()`);
  });
  return true;
}

/** Databases that no test is using. */
const idle: Pooled[] = [];

/** Closes the idle databases. An open engine keeps its process alive with a timer, so the last test must call this. */
export async function closeIdleDatabases(): Promise<void> {
  for (const { db } of idle.splice(0)) await db.close();
}

// If several files share the process, scripts/testing/together.ts does this after the last of them.
if (!process.env.VAUBAN_TEST_FILES) after(closeIdleDatabases);

async function take(): Promise<Pooled> {
  const pooled = idle.pop();
  if (pooled) return pooled;
  const { db, dump } = await openPgliteInMemory();
  return { db, dump, origin: await originOf(db) };
}

/** Writes the data of a database to a file, to inspect what a failed test left; returns the path. */
async function keep({ dump }: Pooled): Promise<string> {
  const path = join(tmpdir(), `vauban-${process.pid}-${Date.now()}.tar`);
  await writeFile(path, (await dump()).stream());
  return path;
}

/**
 * Returns a migrated embedded database for a test and restores it afterwards for the next one: opening one takes a
 * second of CPU time, restoring one a twentieth of that. After a failure it is kept as an archive, which the report
 * names.
 */
export async function pooledDatabase(t: TestContext): Promise<Database> {
  const pooled = await take();
  const { lent, end, isClosed } = lend(pooled.db);
  defer(t, async (failed) => {
    await end();
    if (isClosed()) return;
    if (failed) t.diagnostic(`database kept: ${await keep(pooled)}`);
    const restored = !failed && (await restore(pooled.db, pooled.origin).catch(() => false));
    if (restored) idle.push(pooled);
    else await pooled.db.close();
  });
  return lent;
}

/**
 * Lends `db` to one test. `end` takes it back: anything that the test left running then gets errors, as from a closed
 * database. `isClosed` returns whether the test has closed it.
 */
function lend(db: Database): { lent: Database; end: () => Promise<void>; isClosed: () => boolean } {
  let over: string | undefined;
  const stops = new Set<() => Promise<void>>();
  const checked = <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) => {
    return async (...args: Args): Promise<T> => {
      if (over) throw new Error(over);
      return ask(...args);
    };
  };
  const listen: Database['listen'] = async (...args) => {
    const stop = await db.listen(...args);
    stops.add(stop);
    return () => {
      stops.delete(stop);
      return stop();
    };
  };
  let closed = false;
  const lent: Database = {
    engine: db.engine,
    query: checked(db.query) as Database['query'],
    transaction: checked(db.transaction) as Database['transaction'],
    batch: checked(db.batch),
    reserve: checked(db.reserve),
    script: checked(db.script),
    listen: checked(listen),
    check: checked(db.check),
    close() {
      closed = true;
      return db.close();
    },
  };
  const end = async () => {
    over ??= 'the test that this database was lent to is over';
    for (const stop of stops) await stop();
  };
  return { lent, end, isClosed: () => closed };
}
