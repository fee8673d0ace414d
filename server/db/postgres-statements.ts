import type { Connection } from './postgres-connection.ts';
import { SERIALIZERS } from './values.ts';

/** Statements kept prepared: more than the service has, so that only composed ones ever go. A few kilobytes each. */
const MAX_PREPARED = 500;

interface Prepared {
  name: string;
  serializers: ((value: unknown) => string)[];
}

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
    const { name, serializers } = this.#find(text) ?? (await this.#prepare(connection, text));
    const written = values.map((value, index) =>
      value === null || value === undefined ? null : serializers[index]!(value),
    );
    try {
      return await connection.run<Row>({ name, text, values: written });
    } catch (error) {
      if (isOutdated(error)) this.#forget(text);
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

/** The tables have changed under a prepared statement, or something between us and the server has dropped it. */
function isOutdated(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string };
  return code === '26000' || (code === '0A000' && message.includes('cached plan'));
}
