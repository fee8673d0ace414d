import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import { runCallbacks } from './after-commit.ts';
import type { Database, Queryable, Transaction } from './database.ts';
import { blankDatabase } from './pglite-blank.ts';
import { PgliteStatements } from './pglite-statements.ts';
import { PARSERS, SERIALIZERS } from './values.ts';

/**
 * What the engine keeps of its files in this process's memory, all of it from the start. The system's own cache of
 * them is one copy away, so more than this buys little; the engine's default takes 128 MB.
 */
const SHARED_BUFFERS = '32MB';

/** The connection outside any transaction: each statement waits for the transactions before it. */
function onConnection(pg: PGlite, statements: PgliteStatements): Queryable {
  return {
    async query<Row extends object>({ text, values }: { text: string; values: unknown[] }) {
      await pg._checkReady();
      return pg._runExclusiveTransaction(() => statements.run<Row>(text, values));
    },
  };
}

function inTransaction(tx: PgliteTransaction, statements: PgliteStatements): Queryable {
  return {
    async query<Row extends object>({ text, values }: { text: string; values: unknown[] }) {
      if (tx.closed) throw new Error('the transaction is over');
      return statements.run<Row>(text, values);
    },
  };
}

/**
 * Lets the event loop turn once. The engine works on its thread, so transactions that wait for each other would
 * otherwise follow without a break, while nothing that arrives is read and no connection accepted.
 */
const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

/** PGlite without the query that it asks itself first, a fifth of its opening: PARSERS know the types of arrays. */
class Engine extends PGlite {
  override async _initArrayTypes(): Promise<void> {}
}

async function createEngine(dataDir?: string, loadDataDir?: Blob): Promise<PGlite> {
  const pg = new Engine({
    dataDir,
    loadDataDir,
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
    parsers: PARSERS,
    serializers: SERIALIZERS as Record<number, (value: unknown) => string>,
  });
  await pg.waitReady;
  return pg;
}

async function openIn(directory: string): Promise<PGlite> {
  // A process that was killed while it made the database leaves a part of one, which could never be opened.
  const unfinished = `${directory}.unfinished`;
  if (existsSync(unfinished)) await rm(directory, { recursive: true, force: true });
  // PGlite writes its files readable by everybody; the directory is what keeps others out.
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!made) return createEngine(directory);
  await writeFile(unfinished, '');
  const pg = await createEngine(directory, await blankDatabase());
  await rm(unfinished);
  return pg;
}

/**
 * Opens the embedded engine on `directory` (created when absent; in memory when undefined). One process
 * owns the directory; a killed process loses nothing that was committed.
 */
export async function openPglite(directory: string | undefined): Promise<Database> {
  const pg = directory ? await openIn(directory) : await createEngine();
  const statements = new PgliteStatements(pg);
  const { query } = onConnection(pg, statements);
  return {
    engine: 'pglite',
    query,
    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      const callbacks: (() => void)[] = [];
      const result = await pg.transaction(async (tx) => {
        await breathe();
        return work({
          ...inTransaction(tx, statements),
          afterCommit: (callback) => void callbacks.push(callback),
        });
      });
      runCallbacks(callbacks);
      return result as T;
    },
    async reserve() {
      return { query, release: () => {} };
    },
    script(text, { ddl = false } = {}) {
      // A transaction here is only a turn on the one connection: it is ended before the script, which may
      // open its own, and what a failed script left open is rolled back before anybody else gets a turn.
      return pg.transaction(async (turn) => {
        await turn.exec('commit');
        if (ddl) await statements.forget();
        const results = await turn.exec(text);
        return results.flatMap((result) => result.rows as Record<string, unknown>[]);
      });
    },
    async listen(channel, listener) {
      // Quoted, because PGlite folds a bare name to lower case as SQL does and pg_notify does not.
      const stop = await pg.listen(`"${channel}"`, listener);
      return () => stop();
    },
    async close() {
      if (!pg.closed) await pg.close();
    },
  };
}
