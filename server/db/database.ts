import sql, { type Sql } from 'sql-template-tag';
import type { DatabaseAwayError } from './away.ts';

export { empty, join, raw, type Sql } from 'sql-template-tag';
export { DatabaseAwayError } from './away.ts';
export { sql };

/**
 * Something that runs SQL: the database itself or an open transaction. Both engines return values in the same form:
 * `bigint` columns as bigint, `numeric` as string, `timestamptz` as Date, json parsed.
 */
export interface Queryable {
  query<Row extends object>(statement: Sql): Promise<Row[]>;
}

/**
 * An open transaction. `afterCommit` callbacks run once, in order, only when the transaction has committed;
 * use them to wake workers, never for something that must not be lost.
 */
export interface Transaction extends Queryable {
  /**
   * Sends a statement whose rows are not needed. Resolves once the statement has been sent; with a networked engine it
   * does not wait for the answer. A failure surfaces in the transaction's next statement or its commit.
   */
  send(statement: Sql): Promise<void>;
  afterCommit(callback: () => void): void;
}

/** A session held apart from the pool until released. */
export interface Session extends Queryable {
  /** Returns the session to the pool. It must no longer hold anything, because the next user may be anyone. */
  release(): void;
  /**
   * Ends the session along with anything it still holds. The embedded engine has a single session, which stays open.
   */
  discard(): void;
}

/** The state store, in one SQL dialect: embedded PGlite or a PostgreSQL server. */
export interface Database extends Queryable {
  readonly engine: 'pglite' | 'postgres';
  /**
   * Runs `work` in one transaction; a throw rolls everything back and is passed on. `work` may run again after a
   * conflict with other transactions (see `repeat.ts`), and locks rows in a fixed order (`lock-order.ts`).
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs statements in one transaction and one round trip, for work that makes no decision between them. Returns the
   * rows of each. If one fails, all are undone.
   */
  batch(statements: readonly Sql[]): Promise<object[][]>;
  /** Reserves a session for locks that live as long as it does. With the embedded engine it is the only session. */
  reserve(): Promise<Session>;
  /**
   * Runs a script of several statements without parameters, outside any of our transactions. A script that changes
   * tables must pass `ddl`, because statements prepared against the old tables must not be reused.
   */
  script(text: string, options?: { ddl?: boolean }): Promise<Record<string, unknown>[]>;
  /**
   * Calls `listener` with the payload of each NOTIFY on `channel`, from this node and all others, in commit order. A
   * notification is only a hint: it may be lost during a reconnect, and `onGap` is called when that may have happened.
   */
  listen(
    channel: string,
    listener: (payload: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>>;
  /** Throws {@link DatabaseAwayError} if the database cannot serve requests at the moment. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Returns the first row, or undefined if there is none. */
export async function maybeOne<Row extends object>(db: Queryable, statement: Sql): Promise<Row | undefined> {
  return (await db.query<Row>(statement))[0];
}

/** Returns the single row that a statement must return. A missing row is a bug of ours, hence a plain Error. */
export async function one<Row extends object>(db: Queryable, statement: Sql): Promise<Row> {
  const row = await maybeOne<Row>(db, statement);
  if (!row) throw new Error(`expected a row from: ${statement.sql.slice(0, 120)}`);
  return row;
}

/**
 * Runs a statement whose rows are not needed. Inside a transaction it does not wait for the answer, see
 * {@link Transaction.send}.
 */
export async function execute(db: Queryable | Transaction, statement: Sql): Promise<void> {
  if ('send' in db) await db.send(statement);
  else await db.query(statement);
}

/** Sends `payload` on `channel` when the surrounding transaction commits. */
export function notify(db: Queryable, channel: string, payload: string): Promise<void> {
  return execute(db, sql`select pg_notify(${channel}, ${payload})`);
}
