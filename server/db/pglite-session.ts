import type { Transaction as PgliteTransaction } from '@electric-sql/pglite';
import { runCallbacks } from './after-commit.ts';
import { DatabaseAwayError, fromRefusal } from './away.ts';
import type { Database, Queryable, Sql, Transaction } from './database.ts';
import type { Engine } from './pglite-engine.ts';
import { PgliteStatements } from './pglite-statements.ts';

/**
 * Lets the event loop turn once. The engine works on the event loop's thread, so transactions that wait for each other
 * would otherwise run back to back, while no input is read and no connection accepted.
 */
const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * The single session of an embedded engine, from when it opens until it is closed or breaks down. After that, every
 * request fails with {@link DatabaseAwayError}, including those of open transactions.
 */
export class PgliteSession implements Queryable {
  readonly #engine: Engine;
  readonly #statements: PgliteStatements;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#statements = new PgliteStatements(engine);
  }

  get broken(): boolean {
    return this.#engine.broken !== undefined;
  }

  /** Runs outside any transaction: each statement waits for the transactions before it. */
  query<Row extends object>({ text, values }: Pick<Sql, 'text' | 'values'>): Promise<Row[]> {
    return this.#asked(async () => {
      await this.#engine._checkReady();
      return this.#engine._runExclusiveTransaction(() => this.#statements.run<Row>(text, values));
    });
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const callbacks: (() => void)[] = [];
    const afterCommit = (callback: () => void) => void callbacks.push(callback);
    let failure: unknown;
    let committing = false;
    const fail = (error: unknown): never => {
      // A commit after a failed statement rolls back and reports only that, so the statement's own error is thrown.
      throw this.#refusal(committing ? (failure ?? error) : error, committing);
    };
    const result = await this.#engine
      .transaction(async (tx) => {
        await breathe();
        const query = this.#within(tx, (error) => {
          failure ??= error;
        });
        const send = async (statement: Sql) => void (await query(statement));
        const value = await work({ query, send, afterCommit });
        committing = !this.broken;
        return value;
      })
      .catch(fail);
    runCallbacks(callbacks);
    return result as T;
  }

  script(text: string, { ddl = false } = {}): ReturnType<Database['script']> {
    // A transaction here is only a turn on the one connection. It is ended before the script, which may open its own;
    // anything a failed script left open is rolled back before the next turn.
    return this.#asked(() =>
      this.#engine.transaction(async (turn) => {
        await turn.exec('commit');
        if (ddl) await this.#statements.forget();
        const results = await turn.exec(text);
        return results.flatMap((result) => result.rows as Record<string, unknown>[]);
      }),
    );
  }

  listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>> {
    // Quoted, because PGlite folds a bare name to lower case as SQL does, but pg_notify does not.
    return this.#asked(() => this.#engine.listen(`"${channel}"`, hear));
  }

  async close(): Promise<void> {
    if (this.broken) this.#engine.abandon();
    else if (!this.#engine.closed) await this.#engine.close();
  }

  #within(tx: PgliteTransaction, onFailure: (error: unknown) => void): Queryable['query'] {
    return async <Row extends object>({ text, values }: Sql) => {
      if (tx.closed) throw new Error('the transaction is over');
      return this.#asked(() => this.#statements.run<Row>(text, values)).catch((error) => {
        onFailure(error);
        throw error;
      });
    };
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.#refusal(error);
    }
  }

  #refusal(error: unknown, outcomeUnknown = false): unknown {
    const { broken } = this.#engine;
    if (broken === undefined || error !== broken) return fromRefusal(error);
    return new DatabaseAwayError(broken.message, { cause: broken, outcomeUnknown });
  }
}
