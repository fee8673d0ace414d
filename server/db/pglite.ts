import type { OutageLog } from './away.ts';
import type { Database } from './database.ts';
import { Engine, openEngine } from './pglite-engine.ts';
import { PgliteKeeper } from './pglite-keeper.ts';
import { PgliteSession } from './pglite-session.ts';

/**
 * Opens the embedded engine on `directory` (created when absent; in memory when undefined). One process
 * owns the directory; a killed process loses nothing that was committed.
 *
 * Where the disk is full, what needs room fails with {@link DatabaseAwayError}, and the rest goes on. An engine that could
 * not write its log has broken down: then all fails, until there is room to open another.
 */
export async function openPglite(directory: string | undefined, log?: OutageLog): Promise<Database> {
  const engine = await (directory === undefined ? Engine.open() : openEngine(directory));
  return databaseOn(engine, directory, log);
}

/** Returns the database of an open engine, which is opened again on `directory` if it breaks down. */
export function databaseOn(engine: Engine, directory?: string, log?: OutageLog): Database {
  const keeper = new PgliteKeeper(new PgliteSession(engine), { directory, log });
  return {
    engine: 'pglite',
    query: (statement) => keeper.ask((session) => session.query(statement)),
    transaction: (work) => keeper.ask((session) => session.transaction(work)),
    batch: (statements) =>
      keeper.ask((session) =>
        session.transaction(async (tx) => {
          const rows: object[][] = [];
          for (const statement of statements) rows.push(await tx.query(statement));
          return rows;
        }),
      ),
    async reserve() {
      // Of the engine as it is open now: what it has locked is not locked in the next one.
      const { session } = keeper;
      return {
        query: (statement) => keeper.ask((session) => session.query(statement), session),
        release: () => {},
        discard: () => {},
      };
    },
    script: (text, options) => keeper.ask((session) => session.script(text, options)),
    listen: (channel, hear, onGap) => keeper.listen(channel, hear, onGap),
    check: () => keeper.check(),
    close: () => keeper.close(),
  };
}
