import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Database } from '../../server/db/database.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { Connection } from '../../server/db/postgres-connection.ts';
import { defer } from './cleanup.ts';
import { pooledDatabase } from './database-pool.ts';
import { copyPgliteTemplate, postgresTemplate, withDatabase } from './template.ts';

/** The PostgreSQL server under test (any database on it will do); unset for PGlite. Set by `npm test`. */
const SERVER_URL = process.env.VAUBAN_TEST_DATABASE_URL;

export const engine: Database['engine'] = SERVER_URL ? 'postgres' : 'pglite';

/** A new place for state, on the engine under test. */
export interface DatabaseLocation {
  /** The environment that a service needs to use it. */
  env: { VAUBAN_DATA_DIR: string; DATABASE_URL?: string };
  /**
   * Opens a connection, which the caller closes. With PGlite this is only possible while no service runs on it: the
   * engine lives inside its one process.
   */
  open(): Promise<Database>;
}

export interface FreshOptions {
  /** If false, the database starts empty, as on the very first start. */
  migrated?: boolean;
}

/**
 * Runs a command on the server's own database, on a bare connection, because thousands of tests need two of these each.
 */
async function command(serverUrl: string, text: string): Promise<void> {
  const connection = await Connection.open(serverUrl);
  await connection.send({ text }).finally(() => connection.close());
}

async function createPostgres(serverUrl: string, migrated: boolean): Promise<string> {
  const name = `vauban_test_${randomBytes(6).toString('hex')}`;
  const template = migrated ? await postgresTemplate(serverUrl) : 'template1';
  // Copying files takes two thirds of the CPU time of a copy through the write-ahead log.
  await command(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  return name;
}

/**
 * Creates a place for a service's state, on the server at `serverUrl` or on PGlite, whose data directory has the
 * service's layout, `<data dir>/pglite`. `places` are the locations to inspect; the caller must call `remove`.
 */
export async function makeDatabaseLocation(
  serverUrl: string | undefined,
  { migrated = true }: FreshOptions = {},
): Promise<DatabaseLocation & { places: string[]; remove(): Promise<void> }> {
  // Under the temporary directory and short, because the path of a Unix socket is limited to 107 bytes.
  const dataDir = await mkdtemp(join(tmpdir(), 'vauban-'));
  const removeDir = () => rm(dataDir, { recursive: true });
  if (!serverUrl) {
    const directory = join(dataDir, 'pglite');
    if (migrated) await copyPgliteTemplate(directory);
    const env = { VAUBAN_DATA_DIR: dataDir };
    return { env, open: () => openPglite(directory), places: [dataDir], remove: removeDir };
  }
  const name = await createPostgres(serverUrl, migrated);
  const url = withDatabase(serverUrl, name);
  return {
    env: { VAUBAN_DATA_DIR: dataDir, DATABASE_URL: url },
    open: async () => openPostgres(url),
    places: [dataDir, url],
    async remove() {
      // With force: a killed service may have left connections that the server has not noticed yet.
      await command(serverUrl, `drop database ${name} with (force)`);
      await removeDir();
    },
  };
}

/**
 * Creates a place on the engine under test. It is removed when the test ends, or kept and named in the report if the
 * test failed.
 */
export async function freshDatabaseLocation(
  t: TestContext,
  options?: FreshOptions,
): Promise<DatabaseLocation> {
  const { places, remove, ...location } = await makeDatabaseLocation(SERVER_URL, options);
  defer(t, async (failed) => {
    if (!failed) await remove();
    else for (const place of places) t.diagnostic(`database kept: ${place}`);
  });
  return location;
}

/**
 * Returns a database of the engine under test that contains only what the migrations wrote, or nothing with `migrated:
 * false`. It is removed when the test ends, or kept and named in the report if the test failed.
 */
export async function freshDatabase(t: TestContext, options: FreshOptions = {}): Promise<Database> {
  if (engine === 'pglite' && options.migrated !== false) return pooledDatabase(t);
  const location = await freshDatabaseLocation(t, options);
  const db = await location.open();
  defer(t, () => db.close());
  return db;
}
