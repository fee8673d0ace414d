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
 * A transaction on a connection that is its own meanwhile. Whatever it is asked goes to the server at once and in that
 * order, behind what has no answer yet: `begin` travels with all that is asked for together at first, statements that
 * are asked for together travel together, and those that are only sent travel with the commit. So its round trips are
 * the answers that `work` waits for, and the commit's.
 */
export class PostgresTransaction {
  readonly #connection: Connection;
  readonly #statements: PostgresStatements;
  readonly #callbacks: (() => void)[] = [];
  /** What is asked for before `begin` is sent; undefined since then. */
  #first: First[] | undefined = [];
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

  /** Sends a statement as soon as those before it are sent; one that is new to the service is prepared before. */
  #submit<Row extends object>({ text, values }: Text): Promise<{ answer: Promise<Row[]> }> {
    if (this.#over) return Promise.reject(new Error('the transaction is over'));
    if (this.#first) return Promise.resolve({ answer: this.#join<Row>(this.#first, { text, values }) });
    const sent = this.#sent.then(async () => {
      if (this.#failure) throw this.#failure;
      const run = await this.#statements
        .prepare(this.#connection, { text, values })
        .catch((error) => this.#fail(error));
      // Without a transaction around it, it would stand alone.
      if (!ONLY_READS.test(text)) await this.#begun;
      const answer = this.#statements.run<Row>(this.#connection, run).catch((error) => this.#fail(error));
      // Who only sends it learns of its failure by the commit.
      answer.catch(() => {});
      return { answer };
    });
    this.#sent = sent.catch(() => {});
    return sent;
  }

  /** Has a statement travel with `begin`, once nothing more is asked for in this turn. */
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
      // More may come while one is prepared.
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

  /** Commits; where a statement has failed the server rolls back instead, which is thrown as that failure. */
  async #commit(): Promise<void> {
    this.#over = true;
    await this.#sent;
    const connection = this.#connection;
    if (connection.lost) throw connection.lost;
    // Nothing was asked for, or nothing could be prepared.
    if (this.#failure) throw this.#failure;
    if (this.#first) return;
    const { command } = await connection.send({ text: 'commit' }).catch((error) => {
      if (!connection.lost) throw error;
      // What the server has refused before it had nothing to commit, whether or not its answer to the commit was read.
      if (this.#failure && !(this.#failure instanceof DatabaseAwayError)) throw this.#failure;
      throw new DatabaseAwayError('the database went away during a commit', {
        cause: error,
        outcomeUnknown: true,
      });
    });
    // Where it did not begin, the server has nothing to commit and says nothing of it.
    await this.#begun;
    if (command !== 'COMMIT') throw this.#failure ?? new Error('the transaction was rolled back');
  }

  async #rollBack(): Promise<void> {
    this.#over = true;
    await this.#sent;
    if (this.#first) return;
    // A connection whose state is not known must not be used again.
    await this.#connection.send({ text: 'rollback' }).catch((cause) => this.#connection.lose(cause));
  }
}
