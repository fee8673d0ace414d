import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { clearSocket, operatorSocket } from './operator/listen-on-socket.ts';

/** Throws ConfigError where another service uses the data directory: a second one must not touch what is in it. */
export function claimDataDir(config: Config): Promise<void> {
  return clearSocket(operatorSocket(config.dataDir));
}

/** Opens the state: PostgreSQL where it is configured, else the embedded engine in the data directory. */
export async function openState(config: Config): Promise<Database> {
  if (config.databaseUrl) return (await import('./db/postgres.ts')).openPostgres(config.databaseUrl);
  return (await import('./db/pglite.ts')).openPglite(join(config.dataDir, 'pglite'));
}
