import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { MemoryFS } from '@electric-sql/pglite';
import type { Database } from '../../server/db/database.ts';
import { sql } from '../../server/db/database.ts';
import { MIGRATIONS, migrateUp } from '../../server/db/migrate.ts';
import { databaseOn, openPglite } from '../../server/db/pglite.ts';
import { Engine } from '../../server/db/pglite-engine.ts';
import { openPostgres } from '../../server/db/postgres.ts';

// The service prevents V8 from optimizing the engine's functions, because that takes 600 MB for a moment. Test
// processes that run for minutes become a tenth faster with it.
setFlagsFromString('--wasm-tiering-budget=13000000');

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/vauban-test');
const DATA = '/pglite/data';
/** Identifies the schema in a template, so that a changed migration creates a new one. */
const SCHEMA = createHash('sha256').update(JSON.stringify(MIGRATIONS)).digest('hex').slice(0, 12);
/** Held while a template is being created: test files run in separate processes. */
const TEMPLATE_LOCK = 7226_0002;

const TEMPLATE = join(CACHE, `pglite-${SCHEMA}`);

/** Creates the migrated data directory that tests copy, unless an earlier run has done so. */
export async function makePgliteTemplate(): Promise<void> {
  if (existsSync(TEMPLATE)) return;
  await mkdir(CACHE, { recursive: true });
  const outdated = await readdir(CACHE);
  const building = await mkdtemp(join(CACHE, 'building-'));
  const db = await openPglite(building);
  await migrateUp(db);
  await db.close();
  // The first process wins; the others see only the rename.
  await rename(building, TEMPLATE).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(building, { recursive: true });
  });
  for (const name of outdated.filter((name) => name.startsWith('pglite-') && !TEMPLATE.endsWith(name)))
    await rm(join(CACHE, name), { recursive: true, force: true });
}

/** Files in this process's memory that start as a copy of the template. */
class TemplateFiles extends MemoryFS {
  override async initialSyncFs(): Promise<void> {
    const { FS } = this.pg!.Module;
    FS.mkdirTree(DATA);
    for (const entry of readdirSync(TEMPLATE, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const copy = join(DATA, relative(TEMPLATE, path));
      if (entry.isDirectory()) FS.mkdirTree(copy);
      else FS.writeFile(copy, readFileSync(path));
    }
  }
}

/**
 * Opens a migrated embedded database in memory. Its statements take two thirds of the time that they take on files,
 * even on a disk in memory.
 */
export async function openPgliteInMemory(): Promise<{ db: Database; dump: () => Promise<Blob> }> {
  await makePgliteTemplate();
  const engine = await Engine.open({ fs: new TemplateFiles() });
  return { db: databaseOn(engine), dump: () => engine.dumpDataDir('none') };
}

/** Copies the template to `directory`, which may already exist. */
export async function copyPgliteTemplate(directory: string): Promise<void> {
  await makePgliteTemplate();
  // The asynchronous copy takes eight times as long for these thousand small files.
  cpSync(TEMPLATE, directory, { recursive: true });
}

/** Returns the URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const result = new URL(url);
  result.pathname = `/${name}`;
  return result.href;
}

async function exists(db: Pick<Database, 'query'>, name: string): Promise<boolean> {
  return (await db.query(sql`select 1 from pg_database where datname = ${name}`)).length > 0;
}

const madeOn = new Map<string, Promise<string>>();

/** Returns the name of the migrated database on the server at `serverUrl` that tests copy; created on first use. */
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
  // A database cannot be created in a transaction; this transaction only holds the lock.
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
