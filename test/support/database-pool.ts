import { rmSync } from 'node:fs';
import { type Database, raw, sql } from '../../server/db/database.ts';

/** Beyond this size, in bytes, a table is not worth emptying: another copy of the template is faster. */
const LARGEST_EMPTIED = 8 * 2 ** 20;

/** What a migrated database looked like before its first test. */
interface Origin {
  /** The fingerprint of its schema. */
  schema: string;
  /** The rows that migrations wrote, by table, as a JSON array. */
  rows: Map<string, string>;
}

/** Where a database is: its directories, and how to open it and remove it. */
interface Place {
  places: string[];
  open(): Promise<Database>;
  remove(): Promise<void>;
}

/** A database that tests use one after the other. */
export interface Pooled<Location extends Place> {
  location: Location;
  db: Database;
  origin: Origin;
}

/**
 * Counts and newest row versions of the catalogs that hold the schema: they differ once a test has left a trigger, a
 * table or a column behind.
 */
async function schemaOf(db: Database): Promise<string> {
  const catalog = (name: string, oid = 'oid') =>
    raw(`select '${name}' as name, count(*)::int as n, max(xmin::text::bigint)::text as newest
      from ${name} where ${oid} >= 16384`);
  const rows = await db.query(sql`
    ${catalog('pg_class')} union all ${catalog('pg_attribute', 'attrelid')} union all ${catalog('pg_proc')}
    union all ${catalog('pg_constraint')} union all ${catalog('pg_trigger')} order by 1`);
  return JSON.stringify(rows);
}

/** The tables that have been written to since they were made, with their sizes; in most tests most of them have not. */
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
  return { schema: await schemaOf(db), rows };
}

/** Puts the rows back to what they were at first; false if the database is not worth it or its schema has changed. */
async function restore(db: Database, { schema, rows }: Origin): Promise<boolean> {
  const tables = await writtenTables(db);
  if (tables.some(({ bytes }) => bytes > LARGEST_EMPTIED) || (await schemaOf(db)) !== schema) return false;
  await db.transaction(async (tx) => {
    // Without triggers, which keep the books from being deleted, and without foreign keys, so that any order will do.
    await tx.query(sql`set local session_replication_role = replica`);
    for (const { name } of tables) await tx.query(sql`delete from ${raw(name)}`);
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

/**
 * Databases for the tests of a process, each restored after one test for the next. On the embedded engine copying and opening one
 * takes half a second of a core, most of a test's time; restoring it takes a tenth of that.
 */
export class DatabasePool<Location extends Place> {
  readonly #make: () => Promise<Location>;
  readonly #idle: Pooled<Location>[] = [];

  constructor(make: () => Promise<Location>) {
    this.#make = make;
    // Not when the tests of a file are over: the next file in this process takes them.
    process.once('exit', () => {
      for (const { location } of this.#idle)
        for (const place of location.places) rmSync(place, { recursive: true, force: true });
    });
  }

  async take(): Promise<Pooled<Location>> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    const location = await this.#make();
    const db = await location.open();
    return { location, db, origin: await originOf(db) };
  }

  /** Takes a database back from a test. */
  async give(pooled: Pooled<Location>): Promise<void> {
    const restored = await restore(pooled.db, pooled.origin);
    if (restored) this.#idle.push(pooled);
    else await this.drop(pooled);
  }

  async drop({ db, location }: Pooled<Location>): Promise<void> {
    await db.close();
    await location.remove();
  }
}

/**
 * Lends `db` to one test. `end` takes it back: whatever the test left running gets an error from then on, as it
 * would from a closed database. `closed` says whether the test has closed it.
 */
export function lend(db: Database): { lent: Database; end: () => Promise<void>; closed: () => boolean } {
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
  return { lent, end, closed: () => closed };
}
