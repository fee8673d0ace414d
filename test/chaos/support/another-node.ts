import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { type DatabaseLocation, engine } from '../../support/database.ts';

/** Why a test with several nodes is skipped: the embedded database belongs to one process. */
export const skipWithoutPostgres = engine === 'pglite' && 'several nodes need a PostgreSQL';

/** The settings that nodes of an installation share, besides the database. */
export const SHARED_SETTINGS = { VAUBAN_SECRET_KEY: 'ab'.repeat(32) };

/** Returns a location with the same database and a new data directory, for another node. */
export async function forAnotherNode(t: TestContext, location: DatabaseLocation): Promise<DatabaseLocation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vauban-'));
  defer(t, () => rm(dataDir, { recursive: true }));
  return { ...location, env: { ...location.env, VAUBAN_DATA_DIR: dataDir } };
}
