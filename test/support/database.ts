import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Database } from '../../server/db/database.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { defer } from './cleanup.ts';
import { copyPgliteTemplate, postgresTemplate, withDatabase } from './template.ts';

/** The PostgreSQL server under test (any database on it will do); unset means PGlite. Set by `npm test`. */
const SERVER_URL = process.env.VAUBAN_TEST_DATABASE_URL;

export const engine: Database['engine'] = SERVER_URL ? 'postgres' : 'pglite';

/** A fresh place for state, on the engine under test. */
export interface DatabaseLocation {
  /** What a service needs in its environment to use it. */
  env: { VAUBAN_DATA_DIR: string; DATABASE_URL?: string };
  /**
   * Connects to it; the caller closes. With PGlite only while no service runs on it: the engine lives inside
   * its one process.
   */
  open(): Promise<Database>;
}

/** Whether the database starts with the schema in place, or empty as on the very first start. */
export interface FreshOptions {
  migrated?: boolean;
}

/** Runs `work` with a connection to the server's own database. */
async function withAdmin<T>(url: string, work: (admin: Database) => Promise<T>): Promise<T> {
  const admin = openPostgres(url);
  return work(admin).finally(() => admin.close());
}

async function createPostgres(serverUrl: string, migrated: boolean): Promise<string> {
  const name = `vauban_test_${randomBytes(6).toString('hex')}`;
  await withAdmin(serverUrl, async (admin) => {
    const template = migrated ? await postgresTemplate(admin, serverUrl) : 'template1';
    await admin.script(`create database ${name} template ${template}`);
  });
  return name;
}

/** Removes what the test used, unless the test failed: then it says where to look. */
function removeUnlessFailed(t: TestContext, place: string, remove: () => Promise<unknown>): void {
  defer(t, async (failed) => {
    if (failed) t.diagnostic(`database kept: ${place}`);
    else await remove();
  });
}

/**
 * A place for a service process to keep its state; a PGlite data directory is laid out as the service does it,
 * `<data dir>/pglite`. Removed when the test ends, kept (and named in the report) when it failed.
 */
export async function freshDatabaseLocation(
  t: TestContext,
  { migrated = true }: FreshOptions = {},
): Promise<DatabaseLocation> {
  // Under the temporary directory and short, because a Unix socket's path may have 107 bytes at most.
  const dataDir = await mkdtemp(join(tmpdir(), 'vauban-'));
  removeUnlessFailed(t, dataDir, () => rm(dataDir, { recursive: true }));
  if (!SERVER_URL) {
    const directory = join(dataDir, 'pglite');
    if (migrated) await copyPgliteTemplate(directory);
    return { env: { VAUBAN_DATA_DIR: dataDir }, open: () => openPglite(directory) };
  }
  const name = await createPostgres(SERVER_URL, migrated);
  const url = withDatabase(SERVER_URL, name);
  // By force: a service that was killed may have left connections that the server has not noticed yet.
  removeUnlessFailed(t, url, () =>
    withAdmin(SERVER_URL, (admin) => admin.script(`drop database ${name} with (force)`)),
  );
  return { env: { VAUBAN_DATA_DIR: dataDir, DATABASE_URL: url }, open: async () => openPostgres(url) };
}

/** A fresh database of the engine under test, with the schema unless told otherwise; closed and removed at the end. */
export async function freshDatabase(t: TestContext, options?: FreshOptions): Promise<Database> {
  const location = await freshDatabaseLocation(t, options);
  const db = await location.open();
  defer(t, () => db.close());
  return db;
}
