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

/** Runs a command on the server's own database: by one bare connection, as thousands of tests need two of these each. */
async function command(serverUrl: string, text: string): Promise<void> {
  const connection = await Connection.open(serverUrl);
  await connection.send({ text }).finally(() => connection.close());
}

async function createPostgres(serverUrl: string, migrated: boolean): Promise<string> {
  const name = `vauban_test_${randomBytes(6).toString('hex')}`;
  const template = migrated ? await postgresTemplate(serverUrl) : 'template1';
  // Copied as files, which takes two thirds of the processor's time that a copy by the log does.
  await command(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  return name;
}

/**
 * A place for a service process to keep its state, on the server at `serverUrl` or else on PGlite, whose data directory
 * is laid out as the service does it, `<data dir>/pglite`. `places` says where to look, `remove` is the caller's.
 */
export async function makeDatabaseLocation(
  serverUrl: string | undefined,
  { migrated = true }: FreshOptions = {},
): Promise<DatabaseLocation & { places: string[]; remove(): Promise<void> }> {
  // Under the temporary directory and short, because a Unix socket's path may have 107 bytes at most.
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
      // By force: a service that was killed may have left connections that the server has not noticed yet.
      await command(serverUrl, `drop database ${name} with (force)`);
      await removeDir();
    },
  };
}

/** A place of the engine under test; removed when the test ends, kept (and named in the report) when it failed. */
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
 * A database of the engine under test that holds what the migrations wrote and nothing else, or nothing at all unless
 * `migrated`. Gone when the test ends; kept, and named in the report, if it failed.
 */
export async function freshDatabase(t: TestContext, options: FreshOptions = {}): Promise<Database> {
  if (engine === 'pglite' && options.migrated !== false) return pooledDatabase(t);
  const location = await freshDatabaseLocation(t, options);
  const db = await location.open();
  defer(t, () => db.close());
  return db;
}
