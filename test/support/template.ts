import { createHash } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../server/db/database.ts';
import { sql } from '../../server/db/database.ts';
import { MIGRATIONS, migrateUp } from '../../server/db/migrate.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { openPostgres } from '../../server/db/postgres.ts';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/vauban-test');
/** Names the schema that a template holds, so that a changed migration makes another. */
const SCHEMA = createHash('sha256').update(JSON.stringify(MIGRATIONS)).digest('hex').slice(0, 12);
/** Held while a template is made: test files run as processes of their own. */
const TEMPLATE_LOCK = 7226_0002;

/**
 * The migrated PGlite data directory that tests copy, made on first use and kept for later runs. Copying it in
 * memory (50 ms) and opening the copy (160 ms) is the fastest way: initdb takes 1.5 to 3 s, loading a tarball 0.4 s.
 */
export async function pgliteTemplate(): Promise<string> {
  const template = join(CACHE, `pglite-${SCHEMA}`);
  if (existsSync(template)) return template;
  await mkdir(CACHE, { recursive: true });
  const outdated = await readdir(CACHE);
  const building = await mkdtemp(join(CACHE, 'building-'));
  const db = await openPglite(building);
  await migrateUp(db);
  await db.close();
  // The first one wins; a rename is the only step that others see.
  await rename(building, template).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(building, { recursive: true });
  });
  for (const name of outdated.filter((name) => name.startsWith('pglite-') && !template.endsWith(name))) {
    await rm(join(CACHE, name), { recursive: true, force: true });
  }
  return template;
}

/** Copies the template to `directory`, which may exist already. */
export async function copyPgliteTemplate(directory: string): Promise<void> {
  // The asynchronous copy takes eight times as long for these thousand small files.
  cpSync(await pgliteTemplate(), directory, { recursive: true });
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
