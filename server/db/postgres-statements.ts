import { DatabaseAwayError } from './away.ts';
import type { Connection } from './postgres-connection.ts';
import type { PreparedRun } from './postgres-execution.ts';
import { isOutdated } from './repeat.ts';
import { SERIALIZERS } from './values.ts';

/** Statements kept prepared: more than the service has, so that only composed ones ever go. A few kilobytes each. */
const MAX_PREPARED = 500;

/** Under a name of its own, as the others have numbers. */
const BEGIN: PreparedRun = { name: 'begin', text: 'begin', values: [] };

export interface Text {
  text: string;
  values: unknown[];
}

interface Prepared {
  name: string;
  serializers: ((value: unknown) => string)[];
}

/** One run of a prepared statement. */
const toRun = ({ name, serializers }: Prepared, { text, values }: Text): PreparedRun => ({
  name,
  text,
  values: values.map((value, index) =>
    value === null || value === undefined ? null : serializers[index]!(value),
  ),
});

const serializerOf = (type: number) =>
  (SERIALIZERS[type] as ((value: unknown) => string) | undefined) ?? String;

/**
 * Runs statements prepared, under a name that is the same on every connection, with parameters written as the types
 * that the server asks for: `pg` by itself would guess them from the values.
 */
export class PostgresStatements {
  readonly #prepared = new Map<string, Prepared>();
  readonly #onForgotten: (name: string) => void;
  #made = 0;

  /** `onForgotten` receives the names that are of no use any more. */
  constructor(onForgotten: (name: string) => void) {
    this.#onForgotten = onForgotten;
  }

  /** Has a statement ready, so that the next {@link run} of it sends it at once. */
  async prepare(connection: Connection, text: string): Promise<void> {
    if (!this.#prepared.has(text)) await this.#prepare(connection, text);
  }

  /** Runs one statement in whatever transaction the connection is. */
  async run<Row extends object>(connection: Connection, text: string, values: unknown[]): Promise<Row[]> {
    const prepared = this.#find(text) ?? (await this.#prepare(connection, text));
    return this.#answer(connection.run<Row>(toRun(prepared, { text, values })));
  }

  /**
   * Begins a transaction with its first statements, all of which {@link prepare} has had ready: the answer to the
   * beginning, and one each.
   */
  begin(connection: Connection, first: readonly Text[]): [Promise<object[]>, ...Promise<object[]>[]] {
    const [begun, ...answers] = connection.runTogether([BEGIN, ...this.#runs(first)]);
    return [begun!, ...answers.map((answer) => this.#answer(answer))];
  }

  #runs(statements: readonly Text[]): PreparedRun[] {
    return statements.map((statement) => toRun(this.#find(statement.text)!, statement));
  }

  async #answer<Row>(answer: Promise<Row[]>): Promise<Row[]> {
    try {
      return await answer;
    } catch (error) {
      // Others may name the same tables, and a transaction learns of one alone each time that it is tried.
      if (isOutdated(error)) this.forget();
      throw error;
    }
  }

  /** The same outside a transaction, where a statement prepared for tables as they were is prepared and run again. */
  async runAlone<Row extends object>(
    connection: Connection,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    try {
      return await this.run<Row>(connection, text, values);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      return this.run<Row>(connection, text, values);
    }
  }

  /** The same for several, which the server takes for a transaction: there is no `begin` before and one end behind them. */
  async runAllAlone(connection: Connection, statements: readonly Text[]): Promise<object[][]> {
    const attempt = async () => {
      for (const { text } of statements) await this.prepare(connection, text);
      const answers = connection.runTogether(this.#runs(statements));
      return Promise.all(answers.map((answer) => this.#answer(answer)));
    };
    try {
      return await attempt().catch((error) => {
        if (!isOutdated(error)) throw error;
        return attempt();
      });
    } catch (error) {
      if (!connection.lost) throw error;
      throw new DatabaseAwayError('the database went away during a batch', {
        cause: error,
        outcomeUnknown: true,
      });
    }
  }

  /** Forgets all statements: to be called after what may have changed the tables that they name. */
  forget(): void {
    for (const text of [...this.#prepared.keys()]) this.#forget(text);
  }

  #find(text: string): Prepared | undefined {
    const prepared = this.#prepared.get(text);
    if (!prepared) return undefined;
    // The latest used is the last, so that the first is the one to give up.
    this.#prepared.delete(text);
    this.#prepared.set(text, prepared);
    return prepared;
  }

  async #prepare(connection: Connection, text: string): Promise<Prepared> {
    const name = `s${++this.#made}`;
    const types = await connection.describe(name, text);
    const prepared = { name, serializers: types.map(serializerOf) };
    this.#prepared.set(text, prepared);
    if (this.#prepared.size > MAX_PREPARED) this.#forget(this.#prepared.keys().next().value!);
    return prepared;
  }

  #forget(text: string): void {
    const { name } = this.#prepared.get(text) ?? {};
    this.#prepared.delete(text);
    if (name) this.#onForgotten(name);
  }
}
