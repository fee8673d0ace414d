import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { loadConfig } from '../../../server/config/config.ts';
import type { Database } from '../../../server/db/database.ts';
import { type Clock, ManualClock } from '../../../server/platform/clock.ts';
import { createLogger, type Logger } from '../../../server/platform/logging.ts';
import { startService } from '../../../server/start/compose.ts';
import { openState } from '../../../server/start/state.ts';
import { defer } from '../../support/cleanup.ts';
import {
  type DatabaseLocation,
  engine,
  freshDatabase,
  freshDatabaseLocation,
} from '../../support/database.ts';

export const START = '2026-01-01T00:00:00.000Z';

export interface InProcessOptions<Own extends Clock = ManualClock> {
  env?: Record<string, string>;
  /** The location of the state; a new one by default. */
  location?: DatabaseLocation;
  /** Wraps the database before the service gets it. */
  watch?: (db: Database) => Database;
  /** By default a clock that stands still. */
  clock?: Own;
  /** Silent by default. */
  logger?: Logger;
}

/** Starts the whole service in this process, on a fresh database and the test's clock. */
export async function startInProcess<Own extends Clock = ManualClock>(
  t: TestContext,
  { env, location: given, watch = (db) => db, clock: own, logger }: InProcessOptions<Own> = {},
) {
  // A database that nothing else opens comes from the pool, which makes these starts fast.
  const pooled = !given && engine === 'pglite';
  const location = given ?? (await freshDatabaseLocation(t, { migrated: !pooled }));
  const config = loadConfig({
    VAUBAN_LISTEN: '127.0.0.1:0',
    VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
    ...location.env,
    ...env,
  });
  const clock = own ?? (new ManualClock(START) as Clock as Own);
  const db = watch(pooled ? { ...(await freshDatabase(t)), close: async () => {} } : await openState(config));
  const silent = createLogger({ logLevel: 'silent' });
  const service = await startService(config, db, { clock, logger: logger ?? silent });
  defer(t, () => service.stop());
  const operatorSocket = join(config.dataDir, 'vauban.sock');
  return { baseUrl: service.address, operatorSocket, clock, db, service };
}
