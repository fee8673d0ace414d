import { createHash } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Database } from '../../server/db/database.ts';
import { sql } from '../../server/db/database.ts';
import { MIGRATIONS, migrateUp } from '../../server/db/migrate.ts';
import { databaseOn } from '../../server/db/pglite.ts';
import { Engine, openEngine } from '../../server/db/pglite-engine.ts';
import { openPostgres } from '../../server/db/postgres.ts';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/vauban-test');
/** Names the schema that a template holds, so that a changed migration makes another. */
const SCHEMA = createHash('sha256').update(JSON.stringify(MIGRATIONS)).digest('hex').slice(0, 12);
/** Held while a template is made: test files run as processes of their own. */
const TEMPLATE_LOCK = 7226_0002;

const TEMPLATE = join(CACHE, `pglite-${SCHEMA}`);
const ARCHIVE = `${TEMPLATE}.tar`;

/** Makes the migrated data directory that tests copy, and the archive of it, unless an earlier run has. */
export async function makePgliteTemplate(): Promise<void> {
  if (existsSync(TEMPLATE) && existsSync(ARCHIVE)) return;
  await mkdir(CACHE, { recursive: true });
  const outdated = (await readdir(CACHE)).filter(
    (name) => name.startsWith('pglite-') && !name.startsWith(basename(TEMPLATE)),
  );
  const building = await mkdtemp(join(CACHE, 'building-'));
  const engine = await openEngine(join(building, 'data'));
  const db = databaseOn(engine);
  await migrateUp(db);
  const archive = await engine.dumpDataDir('none');
  await db.close();
  await writeFile(join(building, 'archive'), archive.stream());
  // Whoever is first wins: each rename shows others a finished one.
  await rename(join(building, 'archive'), ARCHIVE);
  await rename(join(building, 'data'), TEMPLATE).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  for (const name of [basename(building), ...outdated])
    await rm(join(CACHE, name), { recursive: true, force: true });
}

/**
 * An embedded database in memory, migrated. Opening one takes a second of a core, twice what a copy on a disk in memory takes;
 * each statement then takes two thirds of what it takes on files.
 */
export async function openPgliteInMemory(): Promise<{ db: Database; dump: () => Promise<Blob> }> {
  await makePgliteTemplate();
  const engine = await Engine.open(undefined, new Blob([await readFile(ARCHIVE)]));
  return { db: databaseOn(engine), dump: () => engine.dumpDataDir('none') };
}

/** Copies the template to `directory`, which may exist already. */
export async function copyPgliteTemplate(directory: string): Promise<void> {
  await makePgliteTemplate();
  // The asynchronous copy takes eight times as long for these thousand small files.
  cpSync(TEMPLATE, directory, { recursive: true });
}

/** The URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const result = new URL(url);
  result.pathname = `/${name}`;
  return result.href;
}

async function exists(db: Pick<Database, 'query'>, name: string): Promise<boolean> {
  return (await db.query(sql`select 1 from pg_database where datname = ${name}`)).length > 0;
}

const madeOn = new Map<string, Promise<string>>();

/** The migrated database on the server at `serverUrl` that tests copy; made on first use. Its name. */
export function postgresTemplate(serverUrl: string): Promise<string> {
  const made = madeOn.get(serverUrl) ?? makePostgresTemplate(serverUrl);
  madeOn.set(serverUrl, made);
  return made;
}

async function makePostgresTemplate(serverUrl: string): Promise<string> {
  const template = `vauban_template_${SCHEMA}`;
  const admin = openPostgres(serverUrl);
  try {
    if (await exists(admin, template)) return template;
    await buildPostgresTemplate(admin, serverUrl, template);
    return template;
  } finally {
    await admin.close();
  }
}

async function buildPostgresTemplate(admin: Database, serverUrl: string, template: string): Promise<void> {
  const building = `${template}_building`;
  // A database cannot be created in a transaction: this one only holds the lock.
  await admin.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${TEMPLATE_LOCK})`);
    if (await exists(tx, template)) return;
    await admin.script(`drop database if exists ${building}`);
    await admin.script(`create database ${building}`);
    const db = openPostgres(withDatabase(serverUrl, building));
    await migrateUp(db).finally(() => db.close());
    await admin.script(`alter database ${building} rename to ${template}`);
  });
}
