import type { OutageLog } from './away.ts';
import type { Database } from './database.ts';
import { Engine, openEngine } from './pglite-engine.ts';
import { PgliteKeeper } from './pglite-keeper.ts';
import { PgliteSession } from './pglite-session.ts';

/**
 * Opens the embedded engine on `directory` (created if absent; in memory if undefined). One process owns the directory;
 * if it is killed, nothing that was committed is lost.
 *
 * On a full disk, requests that need space fail with {@link DatabaseAwayError} and the others still work. An engine
 * that could not write its log has broken down: then every request fails until there is space to open another.
 */
export async function openPglite(directory: string | undefined, log?: OutageLog): Promise<Database> {
  const engine = await (directory === undefined ? Engine.open() : openEngine(directory));
  return databaseOn(engine, directory, log);
}

/** Returns a database on an open engine. If the engine breaks down, it is opened again on `directory`. */
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
      // Bound to the engine that is open now: locks taken there do not exist in the next one.
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
