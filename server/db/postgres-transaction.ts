import { DatabaseAwayError } from './away.ts';
import type { Transaction } from './database.ts';
import type { Connection, Run } from './postgres-connection.ts';
import { ONLY_READS, type PostgresStatements, type Text } from './postgres-statements.ts';

/** A statement that waits for the transaction to begin. */
interface First extends Text {
  resolve: (rows: object[]) => void;
  reject: (error: unknown) => void;
}

/**
 * A transaction, with its connection to itself until it ends. Every statement goes to the server at once and in order,
 * without waiting for earlier answers: `begin` travels with the first statements that are requested together, later
 * ones requested together also travel together, and those that are only sent travel with the commit. So the round trips
 * are the answers that `work` waits for, plus the commit's.
 */
export class PostgresTransaction {
  readonly #connection: Connection;
  readonly #statements: PostgresStatements;
  readonly #callbacks: (() => void)[] = [];
  /** Statements requested before `begin` was sent; undefined after that. */
  #first: First[] | undefined = [];
  #begun: Promise<unknown> = Promise.resolve();
  /** Settled once the latest statement has been sent. */
  #sent: Promise<unknown> = Promise.resolve();
  /** Error of the first statement that failed. Later statements are refused with the same error. */
  #failure: unknown;
  #over = false;

  private constructor(connection: Connection, statements: PostgresStatements) {
    this.#connection = connection;
    this.#statements = statements;
  }

  /** Runs `work` in a transaction. Returns its result, and the callbacks to run now that it is committed. */
  static async run<T>(
    connection: Connection,
    statements: PostgresStatements,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<{ result: T; callbacks: (() => void)[] }> {
    const tx = new PostgresTransaction(connection, statements);
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

  /** Sends a statement once those before it are sent. A statement that is new to the service is described first. */
  #submit<Row extends object>({ text, values }: Text): Promise<{ answer: Promise<Row[]> }> {
    if (this.#over) return Promise.reject(new Error('the transaction is over'));
    if (this.#first) return Promise.resolve({ answer: this.#join<Row>(this.#first, { text, values }) });
    const sent = this.#sent.then(async () => {
      if (this.#failure) throw this.#failure;
      const run = await this.#statements
        .prepare(this.#connection, { text, values })
        .catch((error) => this.#fail(error));
      // If `begin` failed, the statement would run outside a transaction.
      if (!ONLY_READS.test(text)) await this.#begun;
      const answer = this.#statements.run<Row>(this.#connection, run).catch((error) => this.#fail(error));
      // A caller that only sends it learns about its failure from the commit.
      answer.catch(() => {});
      return { answer };
    });
    this.#sent = sent.catch(() => {});
    return sent;
  }

  /** Makes a statement travel with `begin`, which is sent once no more are requested in this turn. */
  #join<Row extends object>(first: First[], statement: Text): Promise<Row[]> {
    const { promise, resolve, reject } = Promise.withResolvers<object[]>();
    promise.catch(() => {});
    first.push({ ...statement, resolve, reject });
    if (first.length === 1) {
      const begin = () => this.#begin(first).catch((error) => this.#fail(error));
      this.#sent = new Promise<void>((turn) => process.nextTick(turn)).then(begin).catch(() => {});
    }
    return promise as Promise<Row[]>;
  }

  async #begin(first: First[]): Promise<void> {
    const runs: Run[] = [];
    try {
      // More may be added while one is prepared.
      for (const statement of first) runs.push(await this.#statements.prepare(this.#connection, statement));
    } catch (error) {
      this.#first = undefined;
      for (const { reject } of first) reject(error);
      throw error;
    }
    this.#first = undefined;
    const [begun, ...answers] = this.#statements.begin(this.#connection, runs);
    this.#begun = begun.catch((error) => {
      this.#connection.lose(error);
      this.#fail(error);
    });
    this.#begun.catch(() => {});
    for (const [index, answer] of answers.entries()) {
      const { resolve, reject } = first[index]!;
      answer.catch((error) => this.#fail(error)).then(resolve, reject);
    }
  }

  #fail(error: unknown): never {
    this.#failure ??= error;
    throw this.#failure;
  }

  /** Commits. If a statement has failed, the server rolls back instead; then throws that statement's error. */
  async #commit(): Promise<void> {
    this.#over = true;
    await this.#sent;
    const connection = this.#connection;
    if (connection.lost) throw connection.lost;
    // Either nothing could be prepared, or nothing was requested.
    if (this.#failure) throw this.#failure;
    if (this.#first) return;
    const { command } = await connection.send({ text: 'commit' }).catch((error) => {
      if (!connection.lost) throw error;
      // The server refused a statement, so it had nothing to commit, whether or not its answer to the commit was read.
      if (this.#failure && !(this.#failure instanceof DatabaseAwayError)) throw this.#failure;
      throw new DatabaseAwayError('the connection to the database was lost during a commit', {
        cause: error,
        outcomeUnknown: true,
      });
    });
    // If `begin` failed, the server has nothing to commit and does not report that.
    await this.#begun;
    if (command !== 'COMMIT') throw this.#failure ?? new Error('the transaction was rolled back');
  }

  async #rollBack(): Promise<void> {
    this.#over = true;
    await this.#sent;
    if (this.#first) return;
    // A connection in an unknown state must not be used again.
    await this.#connection.send({ text: 'rollback' }).catch((cause) => this.#connection.lose(cause));
  }
}
