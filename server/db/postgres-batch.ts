import pg from 'pg';
import { PARSERS, type Parser } from './values.ts';

interface Column {
  name: string;
  parse: Parser;
}

/** A prepared statement as seen by one connection. */
export interface KnownStatement {
  /** Unique on the connection and never used again, so nothing has to be deallocated before a name is free. */
  readonly name: string;
  /** Undefined until the server has described them. */
  columns: readonly Column[] | undefined;
}

export interface BatchEntry {
  statement: KnownStatement;
  /** The statement's text, if the connection still has to prepare it. */
  parse: string | undefined;
  /** Parameters as text, in the format of the statement's types. Undefined: the statement is only prepared. */
  values: (string | null)[] | undefined;
  done: (error: Error | undefined, rows: object[]) => void;
}

const plain = (text: string) => text;

/**
 * Runs prepared statements followed by a single Sync message: if one fails, the server skips those behind it. So after
 * a failed `begin` nothing runs outside a transaction, and several statements without a `begin` form one transaction.
 *
 * `pg.Query` would send a Sync after each statement and describe its columns on each run, see docs/performance.md. `pg`
 * calls such an object a submittable: it sends messages in `submit` and receives the answers in the `handle…` methods.
 */
export class Batch extends pg.Query {
  readonly #entries: readonly BatchEntry[];
  readonly #rows: object[][];
  readonly #unreadable: (Error | undefined)[] = [];
  #answered = 0;

  constructor(entries: readonly BatchEntry[]) {
    super('');
    this.#entries = entries;
    this.#rows = entries.map(() => []);
  }

  override submit = (connection: pg.Connection): void => {
    for (const { statement, parse, values } of this.#entries) {
      const { name, columns } = statement;
      if (parse !== undefined) connection.parse({ name, text: parse, types: [] }, true);
      if (!values) continue;
      connection.bind({ statement: name, values }, true);
      if (!columns) connection.describe({ type: 'P', name: '' }, true);
      connection.execute({ portal: '' }, true);
    }
    connection.sync();
  };

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#entries[this.#answered]!.statement.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: PARSERS[dataTypeID] ?? plain,
    }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const index = this.#answered;
    try {
      this.#rows[index]!.push(toRow(this.#entries[index]!.statement.columns!, fields));
    } catch (error) {
      this.#unreadable[index] ??= error as Error;
    }
  }

  handleCommandComplete(): void {
    // Marks the columns as known, so that a statement without a result is not described again either.
    this.#entries[this.#answered]!.statement.columns ??= [];
    this.#answered++;
  }

  /** Without an enclosing transaction, a batch is committed only when this arrives. */
  handleReadyForQuery(): void {
    for (const [index, { done }] of this.#entries.entries())
      done(this.#unreadable[index], this.#rows[index]!);
  }

  handleError(error: Error): void {
    // An error after the last answer comes from the commit, which undoes the whole batch.
    const failed = this.#answered === this.#entries.length ? 0 : this.#answered;
    for (const [index, { done }] of this.#entries.entries()) {
      if (index < failed) done(this.#unreadable[index], this.#rows[index]!);
      else done(error, []);
    }
  }
}

function toRow(columns: readonly Column[], fields: (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++) {
    const { name, parse } = columns[index]!;
    const text = fields[index]!;
    row[name] = text === null ? null : parse(text);
  }
  return row;
}
