import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../server/db/database.ts';
import { openPglite } from '../server/db/pglite.ts';
import { openPostgres } from '../server/db/postgres.ts';
import { copyPgliteTemplate, postgresTemplate, withDatabase } from '../test/support/template.ts';
import type { LoadGenerator } from './load.ts';
import type { Claim } from './report.ts';

export type Engine = Database['engine'];

export interface Bench {
  /** The engines to measure; only PGlite if there is no PostgreSQL. */
  engines: Engine[];
  load: LoadGenerator;
  /** Directory for state, removed with its contents at the end. */
  workspace: string;
  /** URL of a private PostgreSQL server, removed with its databases at the end. */
  postgresUrl: string | undefined;
}

/** A group of claims, measured on each engine. */
export interface Section {
  /** Name on the command line. */
  name: string;
  about: string;
  run(bench: Bench): Promise<Claim[]>;
}

/** The location of a process's state, as environment variables. */
export interface Place {
  VAUBAN_DATA_DIR: string;
  DATABASE_URL?: string;
}

let places = 0;

/** Makes a fresh place, with the schema, or empty as before a very first start. */
export async function makePlace(
  { workspace, postgresUrl }: Pick<Bench, 'workspace' | 'postgresUrl'>,
  engine: Engine,
  { migrated = true } = {},
): Promise<Place> {
  const name = `bench_${++places}`;
  const VAUBAN_DATA_DIR = join(workspace, name);
  if (engine === 'pglite') {
    if (migrated) await copyPgliteTemplate(join(VAUBAN_DATA_DIR, 'pglite'));
    return { VAUBAN_DATA_DIR };
  }
  mkdirSync(VAUBAN_DATA_DIR);
  const admin = openPostgres(postgresUrl!);
  const template = migrated ? await postgresTemplate(postgresUrl!) : 'template1';
  await admin.script(`create database ${name} template ${template}`);
  await admin.close();
  return { VAUBAN_DATA_DIR, DATABASE_URL: withDatabase(postgresUrl!, name) };
}

/**
 * Returns a place with the same data for a second process: PostgreSQL's database is shared; PGlite's directory, which
 * only one process can have open, is copied.
 */
export function sharePlace(place: Place): Place {
  if (place.DATABASE_URL) return place;
  const VAUBAN_DATA_DIR = `${place.VAUBAN_DATA_DIR}_copy`;
  cpSync(place.VAUBAN_DATA_DIR, VAUBAN_DATA_DIR, { recursive: true });
  return { VAUBAN_DATA_DIR };
}

/** Connects to a place; with PGlite only possible while no process uses it. */
export function openPlace({ VAUBAN_DATA_DIR, DATABASE_URL }: Place): Promise<Database> | Database {
  return DATABASE_URL ? openPostgres(DATABASE_URL) : openPglite(join(VAUBAN_DATA_DIR, 'pglite'));
}

/** Writes a measurement's data to a fresh place; returns the result of `work`. */
export async function prepare<T>(place: Place, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openPlace(place);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
