import type { Database, Queryable, Sql, Transaction } from '../../../server/db/database.ts';

/** Characters of a statement that are enough to tell it from every other one. */
const NAME_LENGTH = 120;
/**
 * Reads outside of a transaction leave no trace. Their number depends on how long a caller waits, so they are not
 * points.
 */
const WITHOUT_TRACE = /^\s*\(?\s*select/;

/** Returns a readable name of a point; {@link KillPoints.record} takes it with the number of its occurrence. */
function nameOf({ text }: Sql): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, NAME_LENGTH);
}

/**
 * Records every place where dying would leave a different state behind: before each statement of a transaction, before
 * and after each commit, before and after each change without a transaction. Kills this process at the chosen one.
 */
export class KillPoints {
  #recording = false;
  #killAt: string | undefined;
  #reached: string[] = [];
  #counts = new Map<string, number>();

  /** Begins a new recording; `killAt` is a name from an earlier recording. */
  record(killAt?: string): void {
    this.#recording = true;
    this.#killAt = killAt;
    this.#reached = [];
    this.#counts.clear();
  }

  /** The names of the points reached since the recording began, in order. */
  get reached(): readonly string[] {
    return this.#reached;
  }

  #reach(point: string): void {
    if (!this.#recording) return;
    const count = (this.#counts.get(point) ?? 0) + 1;
    this.#counts.set(point, count);
    const name = `${point} #${count}`;
    this.#reached.push(name);
    if (name === this.#killAt) process.kill(process.pid, 'SIGKILL');
  }

  /** Wraps a database so that its points are recorded. */
  watch(db: Database): Database {
    return {
      ...db,
      query: <Row extends object>(statement: Sql) => this.#alone<Row>(db, statement),
      transaction: (work) => this.#transaction(db, work),
      batch: (statements) => this.#batch(db, statements),
    };
  }

  async #alone<Row extends object>(db: Queryable, statement: Sql): Promise<Row[]> {
    if (WITHOUT_TRACE.test(statement.text)) return db.query<Row>(statement);
    this.#reach(`before ${nameOf(statement)}`);
    const rows = await db.query<Row>(statement);
    this.#reach(`after ${nameOf(statement)}`);
    return rows;
  }

  async #batch(db: Database, statements: readonly Sql[]): Promise<object[][]> {
    const names = statements.map(nameOf).join('; ');
    this.#reach(`before ${names}`);
    const rows = await db.batch(statements);
    this.#reach(`after ${names}`);
    return rows;
  }

  async #transaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
    let last = 'nothing';
    const reach = (statement: Sql) => {
      last = nameOf(statement);
      this.#reach(`before ${last}`);
    };
    const result = await db.transaction(async (tx) => {
      const value = await work({
        query: <Row extends object>(statement: Sql) => {
          reach(statement);
          return tx.query<Row>(statement);
        },
        send: (statement) => {
          reach(statement);
          return tx.send(statement);
        },
        afterCommit: (callback) => tx.afterCommit(callback),
      });
      this.#reach(`before the commit after ${last}`);
      return value;
    });
    this.#reach(`after the commit after ${last}`);
    return result;
  }
}
