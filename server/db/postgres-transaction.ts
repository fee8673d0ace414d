import { DatabaseAwayError } from './away.ts';
import type { Sql, Transaction } from './database.ts';
import type { Connection } from './postgres-connection.ts';
import type { PostgresStatements } from './postgres-statements.ts';

type Text = Pick<Sql, 'text' | 'values'>;

/** A statement that locks and reads at the most: it is harmless outside of a transaction. */
const ONLY_READS = /^\s*select\b/i;

/**
 * A transaction on a connection that is its own meanwhile. Whatever it is asked goes to the server at once and in that
 * order, behind what has no answer yet: `begin` travels with the first statement that reads, statements that are asked for together
 * travel together, and those that are only sent travel with the commit. So its round trips are the answers that `work`
 * waits for, and the commit's.
 */
export class PostgresTransaction {
  readonly #connection: Connection;
  readonly #statements: PostgresStatements;
  readonly #callbacks: (() => void)[] = [];
  #begun: Promise<unknown> = Promise.resolve();
  /** Settled when the latest statement is on its way. */
  #sent: Promise<unknown> = Promise.resolve();
  /** Of the first statement that failed: what comes after it is refused for no other reason. */
  #failure: unknown;
  #over = false;

  private constructor(connection: Connection, statements: PostgresStatements) {
    this.#connection = connection;
    this.#statements = statements;
  }

  /** Runs `work` in a transaction; what came of it, and what is to be called since it is committed. */
  static async run<T>(
    connection: Connection,
    statements: PostgresStatements,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<{ result: T; callbacks: (() => void)[] }> {
    const tx = new PostgresTransaction(connection, statements);
    tx.#begin();
    try {
      const result = await work({
        query: (statement) => tx.#query(statement),
        send: (statement) => tx.#send(statement),
        afterCommit: (callback) => void tx.#callbacks.push(callback),
      });
      await tx.#commit();
      return { result, callbacks: tx.#callbacks };
    } catch (error) {
      await tx.#rollBack();
      throw error;
    }
  }

  async #query<Row extends object>(statement: Text): Promise<Row[]> {
    const { answer } = await this.#submit<Row>(statement);
    return answer;
  }

  async #send(statement: Text): Promise<void> {
    await this.#submit(statement);
  }

  /** Begins, which only what writes waits for: without a transaction around it, it would stand alone. */
  #begin(): void {
    this.#begun = this.#connection.send({ text: 'begin' }).catch((error) => {
      this.#connection.lose(error);
      this.#fail(error);
    });
    this.#begun.catch(() => {});
  }

  /** Sends a statement as soon as those before it are sent; one that is new to the service is prepared before. */
  #submit<Row extends object>({ text, values }: Text): Promise<{ answer: Promise<Row[]> }> {
    if (this.#over) return Promise.reject(new Error('the transaction is over'));
    const sent = this.#sent.then(async () => {
      if (this.#failure) throw this.#failure;
      await this.#statements.prepare(this.#connection, text).catch((error) => this.#fail(error));
      if (!ONLY_READS.test(text)) await this.#begun;
      const answer = this.#statements
        .run<Row>(this.#connection, text, values)
        .catch((error) => this.#fail(error));
      // Who only sends it learns of its failure by the commit.
      answer.catch(() => {});
      return { answer };
    });
    this.#sent = sent.catch(() => {});
    return sent;
  }

  #fail(error: unknown): never {
    this.#failure ??= error;
    throw this.#failure;
  }

  /** Commits; where a statement has failed the server rolls back instead, which is thrown as that failure. */
  async #commit(): Promise<void> {
    this.#over = true;
    await this.#sent;
    const connection = this.#connection;
    if (connection.lost) throw connection.lost;
    const { command } = await connection.send({ text: 'commit' }).catch((error) => {
      if (!connection.lost) throw error;
      throw new DatabaseAwayError('the database went away during a commit', {
        cause: error,
        outcomeUnknown: true,
      });
    });
    if (command !== 'COMMIT') throw this.#failure ?? new Error('the transaction was rolled back');
  }

  async #rollBack(): Promise<void> {
    this.#over = true;
    await this.#sent;
    // A connection whose state is not known must not be used again.
    await this.#connection.send({ text: 'rollback' }).catch((cause) => this.#connection.lose(cause));
  }
}
