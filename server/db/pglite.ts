import { Mutex, messages, parse, protocol, TransactionAbortedError } from '@electric-sql/pglite';
import { runCallbacks } from './after-commit.ts';
import type { Database, Queryable, Transaction } from './database.ts';
import { type Answer, PgliteEngine } from './pglite-engine.ts';
import { PgliteStatements } from './pglite-statements.ts';
import { PARSERS } from './values.ts';

/**
 * Opens the embedded engine on `directory` (created when absent; in memory when undefined). One process
 * owns the directory; a killed process loses nothing that was committed.
 */
export async function openPglite(directory: string | undefined): Promise<Database> {
  const engine = await PgliteEngine.open(directory);
  const statements = new PgliteStatements(engine);
  /** The one connection, for a statement or a whole transaction at a time, in the order of the calls. */
  const connection = new Mutex();
  const tell = (text: string) => engine.exchange([protocol.serialize.query(text)]);
  const listeners = new Map<string, Set<(payload: string) => void>>();
  engine.onNotification = (channel, payload) => {
    for (const listener of listeners.get(channel) ?? []) queueMicrotask(() => listener(payload));
  };

  const query: Queryable['query'] = ({ text, values }) =>
    connection.runExclusive(() => statements.run(text, values));

  return {
    engine: 'pglite',
    query,
    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      const callbacks: (() => void)[] = [];
      const result = await connection.runExclusive(async () => {
        await tell('begin');
        let over = false;
        const tx: Transaction = {
          async query({ text, values }) {
            if (over) throw new Error('the transaction is over');
            return statements.run(text, values);
          },
          afterCommit: (callback) => void callbacks.push(callback),
        };
        try {
          const result = await work(tx);
          over = true;
          await commit(tell);
          return result;
        } catch (error) {
          over = true;
          await tell('rollback');
          throw error;
        }
      });
      runCallbacks(callbacks);
      return result;
    },
    async reserve() {
      return { query, release: () => {} };
    },
    script(text) {
      return connection.runExclusive(async () => {
        await statements.forget();
        try {
          const results = parse.parseResults(await tell(text), PARSERS);
          return results.flatMap(({ rows }) => rows as Record<string, unknown>[]);
        } finally {
          // What a script left open must not be handed to whoever is next.
          await tell('rollback');
        }
      });
    },
    async listen(channel, listener) {
      // Quoted, because SQL folds a bare name to lower case and pg_notify does not.
      const name = `"${channel}"`;
      const heard = listeners.get(channel) ?? new Set();
      listeners.set(channel, heard);
      heard.add(listener);
      if (heard.size === 1) await connection.runExclusive(() => tell(`listen ${name}`));
      return async () => {
        heard.delete(listener);
        if (heard.size === 0) await connection.runExclusive(() => tell(`unlisten ${name}`));
      };
    },
    close: () => connection.runExclusive(() => engine.close()),
  };
}

/** Commits; throws where the engine rolled back instead, because a statement had failed and nobody minded. */
async function commit(tell: (text: string) => Promise<Answer[]>): Promise<void> {
  for (const message of await tell('commit')) {
    if (message instanceof messages.CommandCompleteMessage && message.text === 'ROLLBACK')
      throw new TransactionAbortedError();
  }
}
