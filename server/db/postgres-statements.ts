import { DatabaseAwayError } from './away.ts';
import type { Connection, Run, Statement } from './postgres-connection.ts';
import { isOutdated } from './repeat.ts';
import { SERIALIZERS } from './values.ts';

/**
 * Number of statement texts whose parameter types are remembered. Beyond it, the least recently used one is described
 * again when it is next run.
 */
const MAX_DESCRIBED = 1_000;

const BEGIN: Run = { statement: { text: 'begin' }, values: [] };

export interface Text {
  text: string;
  values: unknown[];
}

/** Matches a statement that at most locks and reads, so it is harmless outside of a transaction. */
export const ONLY_READS = /^\s*select\b/i;

function twiceIfOutdated<T>(attempt: () => Promise<T>): Promise<T> {
  return attempt().catch((error) => {
    if (!isOutdated(error)) throw error;
    return attempt();
  });
}

function unknownIfLost(connection: Connection, error: unknown): never {
  if (!connection.lost) throw error;
  throw new DatabaseAwayError('the connection to the database was lost during a statement', {
    cause: error,
    outcomeUnknown: true,
  });
}

/** A statement whose parameter types are known. */
interface Described {
  statement: Statement;
  serializers: ((value: unknown) => string)[];
}

const serializerOf = (type: number) =>
  (SERIALIZERS[type] as ((value: unknown) => string) | undefined) ?? String;

/**
 * Runs prepared statements with parameters serialized as the types that the server expects; `pg` would guess them from
 * the values. All connections share what this remembers, but each prepares a statement when it first runs there.
 */
export class PostgresStatements {
  readonly #described = new Map<string, Described>();

  /**
   * Makes a statement ready to run. If its text is new to this node, describes it on `connection` in one round trip.
   */
  async prepare(connection: Connection, { text, values }: Text): Promise<Run> {
    const { statement, serializers } = this.#find(text) ?? (await this.#describe(connection, text, values));
    const written = values.map((value, index) =>
      value === null || value === undefined ? null : serializers[index]!(value),
    );
    return { statement, values: written };
  }

  /** Runs one statement in the connection's current transaction, if any. */
  run<Row extends object>(connection: Connection, run: Run): Promise<Row[]> {
    return this.#answer(connection.run<Row>(run));
  }

  /** Begins a transaction with its first statements. Returns the answer to `begin`, and one for each statement. */
  begin(connection: Connection, first: readonly Run[]): [Promise<object[]>, ...Promise<object[]>[]] {
    const [begun, ...answers] = connection.runTogether([BEGIN, ...first]);
    return [begun!, ...answers.map((answer) => this.#answer(answer))];
  }

  /** Runs one statement outside a transaction, and once more if its plan was outdated. */
  async runAlone<Row extends object>(connection: Connection, statement: Text): Promise<Row[]> {
    const attempt = async () => this.run<Row>(connection, await this.prepare(connection, statement));
    const work = twiceIfOutdated(attempt);
    // It commits on its own, so after a connection breaks before the answer the outcome is unknown.
    return ONLY_READS.test(statement.text) ? work : work.catch((error) => unknownIfLost(connection, error));
  }

  /**
   * Runs statements as one transaction without a `begin`, because they share one Sync. Runs them again if a plan was
   * outdated.
   */
  async runAllAlone(connection: Connection, statements: readonly Text[]): Promise<object[][]> {
    const attempt = async () => {
      const runs: Run[] = [];
      for (const statement of statements) runs.push(await this.prepare(connection, statement));
      return Promise.all(connection.runTogether(runs).map((answer) => this.#answer(answer)));
    };
    return twiceIfOutdated(attempt).catch((error) => unknownIfLost(connection, error));
  }

  /**
   * Makes every statement be prepared again at its next run. Call it after a table change. Connections keep what they
   * have prepared, because one may be inside a transaction; {@link Connection.isWorn} bounds how much that is.
   */
  forget(): void {
    this.#described.clear();
  }

  async #answer<Row>(answer: Promise<Row[]>): Promise<Row[]> {
    try {
      return await answer;
    } catch (error) {
      // Forgets all: other statements may name the same tables, and each retry of a transaction would find only one of
      // them.
      if (isOutdated(error)) this.forget();
      throw error;
    }
  }

  #find(text: string): Described | undefined {
    const described = this.#described.get(text);
    if (!described) return undefined;
    // Keeps the map in order of use.
    this.#described.delete(text);
    this.#described.set(text, described);
    return described;
  }

  async #describe(connection: Connection, text: string, values: unknown[]): Promise<Described> {
    const statement: Statement = { text };
    const types = values.length === 0 ? [] : await connection.describe(statement);
    const described = { statement, serializers: types.map(serializerOf) };
    this.#described.set(text, described);
    if (this.#described.size > MAX_DESCRIBED) this.#described.delete(this.#described.keys().next().value!);
    return described;
  }
}
