import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';
import type { OutageLog } from '../db/away.ts';
import { type Database, DatabaseAwayError } from '../db/database.ts';
import { shortage } from '../db/disk-room.ts';
import { clearSocket, operatorSocket } from '../http/operator/listen-on-socket.ts';
import { ConfigError, reasonOf, UnavailableError } from '../platform/config-error.ts';
import { createLogger } from '../platform/logging.ts';
import { hostsOf } from '../platform/postgres-address.ts';

/** Throws ConfigError if another service uses the data directory: a second one must not touch its content. */
export function claimDataDir(config: Config): Promise<void> {
  return clearSocket(operatorSocket(config.dataDir));
}

/** Logs one line when an outage begins and one when it ends, however many requests it affects. */
function outageLog(config: Config): OutageLog {
  const logger = createLogger(config);
  return {
    // The reason is a problem that the operator can fix, such as a full disk; the cause is the engine's own error.
    onAway: ({ message, cause }) =>
      logger.error(
        { reason: message, cause: cause instanceof Error ? cause.message : undefined },
        'the database cannot be reached',
      ),
    onBack: () => logger.info('the database can be reached again'),
  };
}

/** Opens the state: PostgreSQL if configured, otherwise the embedded engine in the data directory. */
export async function openState(config: Config): Promise<Database> {
  if (config.databaseUrl) return connectPostgres(config.databaseUrl, outageLog(config));
  const directory = embeddedDatabase(config);
  // Checked first, because an engine without disk space only reports that it did not start, not why.
  const lacking = shortage(directory);
  if (lacking) throw new UnavailableError(`${SETTINGS.dataDir.env}: ${lacking}`);
  return (await import('../db/pglite.ts')).openPglite(directory, outageLog(config));
}

const embeddedDatabase = (config: Config) => join(config.dataDir, 'pglite');

/**
 * Turns the error of a start that failed because the disk is full or the database went away into an
 * {@link UnavailableError} of one sentence; returns any other error unchanged.
 */
export function startFailure(config: Config, error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof UnavailableError) return error;
  const lacking = config.databaseUrl ? undefined : shortage(embeddedDatabase(config));
  if (lacking) return new UnavailableError(`${SETTINGS.dataDir.env}: ${lacking}`);
  if (saysFull(error))
    return new UnavailableError(
      `${SETTINGS.dataDir.env}: no space in ${config.dataDir}: ${(error as Error).message}`,
    );
  if (!(error instanceof DatabaseAwayError)) return error;
  const setting = config.databaseUrl ? SETTINGS.databaseUrl : SETTINGS.dataDir;
  return new UnavailableError(`${setting.env}: ${error.message}`);
}

/** Returns whether the kernel reported a full disk for any write: out of space, inodes or quota. */
function saysFull(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || (cause !== undefined && saysFull(cause));
}

/** The reason why the database cannot be reached is in the underlying error. */
const unwrapped = (error: unknown) => (error instanceof DatabaseAwayError && error.cause) || error;

/** Connects and runs a query: an unreachable server ends the start immediately, with one sentence. */
async function connectPostgres(url: string, log: OutageLog): Promise<Database> {
  const db = (await import('../db/postgres.ts')).openPostgres(url, log);
  try {
    await db.check();
    return db;
  } catch (error) {
    await db.close();
    // The URL contains the password.
    throw new UnavailableError(
      `${SETTINGS.databaseUrl.env}: cannot use the database on ${hostsOf(url)}: ${reasonOf(unwrapped(error))}`,
    );
  }
}
