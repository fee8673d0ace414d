import sql, { type Sql } from 'sql-template-tag';
import type { DatabaseAwayError } from './away.ts';

export { empty, join, raw, type Sql } from 'sql-template-tag';
export { DatabaseAwayError } from './away.ts';
export { sql };

/**
 * Something that runs SQL: the database itself or an open transaction. Values come back the same way from
 * both engines: `bigint` columns as bigint, `numeric` as string, `timestamptz` as Date, json parsed.
 */
export interface Queryable {
  /** Runs one statement and returns its rows. */
  query<Row extends object>(statement: Sql): Promise<Row[]>;
}

/**
 * An open transaction. `afterCommit` callbacks run once, in order, only when the transaction has committed;
 * use them to wake workers, never for something that must not be lost.
 */
export interface Transaction extends Queryable {
  /**
   * Sends a statement whose rows are of no use, and waits for its turn at the most: an answer is not waited for where the
   * engine is at the end of a network. What fails then fails the transaction, by its next statement or its commit.
   */
  send(statement: Sql): Promise<void>;
  afterCommit(callback: () => void): void;
}

/** A session held apart from the pool until released. */
export interface Session extends Queryable {
  /** Gives it back, for anyone's next statement: it must hold nothing any more. */
  release(): void;
  /** Ends it with whatever it may still hold. The embedded engine has one session, which goes on. */
  discard(): void;
}

/** State, in one SQL dialect: embedded PGlite or a PostgreSQL server. */
export interface Database extends Queryable {
  readonly engine: 'pglite' | 'postgres';
  /**
   * Runs `work` in one transaction; a throw rolls everything back and is passed on. It may run again where it met
   * others (see `repeat.ts`), and locks rows in one order (`lock-order.ts`).
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs statements in one transaction that decides nothing between them, which takes a single round trip: the rows of
   * each. One that fails undoes them all.
   */
  batch(statements: readonly Sql[]): Promise<object[][]>;
  /** One session of its own, for locks that live as long as it does. Embedded, it is the only session. */
  reserve(): Promise<Session>;
  /**
   * Runs a script of several statements without parameters, outside any transaction of ours. One that changes tables
   * says so with `ddl`: statements prepared for the tables as they were must not be used again.
   */
  script(text: string, options?: { ddl?: boolean }): Promise<Record<string, unknown>[]>;
  /**
   * Calls `listener` with the payload of each NOTIFY on `channel`, on this node and on every other, in
   * commit order. A notification is a hint: it may be lost while a connection is re-made, and `onGap` is called when
   * that may have happened.
   */
  listen(
    channel: string,
    listener: (payload: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>>;
  /** Throws {@link DatabaseAwayError} where the database cannot do what is asked of it now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The first row, or undefined where there is none. */
export async function maybeOne<Row extends object>(db: Queryable, statement: Sql): Promise<Row | undefined> {
  return (await db.query<Row>(statement))[0];
}

/** The single row that a statement must return; a missing one is a bug of ours, hence a plain Error. */
export async function one<Row extends object>(db: Queryable, statement: Sql): Promise<Row> {
  const row = await maybeOne<Row>(db, statement);
  if (!row) throw new Error(`expected a row from: ${statement.sql.slice(0, 120)}`);
  return row;
}

/** Runs a statement whose rows are of no use; in a transaction nothing waits for it, see {@link Transaction.send}. */
export async function execute(db: Queryable | Transaction, statement: Sql): Promise<void> {
  if ('send' in db) await db.send(statement);
  else await db.query(statement);
}

/** Sends `payload` on `channel` when the surrounding transaction commits. */
export function notify(db: Queryable, channel: string, payload: string): Promise<void> {
  return execute(db, sql`select pg_notify(${channel}, ${payload})`);
}
