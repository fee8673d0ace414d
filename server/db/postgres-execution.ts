import pg from 'pg';
import { PARSERS, type Parser } from './values.ts';

/** A column of a result: its name, and how its text is read. */
interface Column {
  name: string;
  parse: Parser;
}

/** What a connection knows of the results of its prepared statements, by their names. */
export type KnownColumns = Map<string, readonly Column[]>;

export interface PreparedRun {
  /** Of the prepared statement. */
  name: string;
  text: string;
  /** Parameters as text, in the form of the types that the statement wants. */
  values: (string | null)[];
}

type Done<Row> = (error: Error | undefined, rows: Row[]) => void;

/** What `pg` has noted of the statements on a connection, as its published types do not say. */
interface Noted {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

const plain = (text: string) => text;

/**
 * One run of a prepared statement. `pg.Query` has the result described again by every run, which for a short statement
 * is a good part of the work on both sides. Here the first run on a connection asks, and it stays true: where tables
 * have changed in a way that would change the columns, the server refuses the statement instead of running it.
 */
export class Execution<Row extends object> extends pg.Query {
  readonly name: string;
  readonly values: (string | null)[];
  readonly text: string;
  readonly #known: KnownColumns;
  readonly #done: Done<Row>;
  readonly #rows: Row[] = [];
  #columns: readonly Column[] | undefined;
  #unreadable: Error | undefined;

  constructor({ name, text, values }: PreparedRun, known: KnownColumns, done: Done<Row>) {
    super(text);
    this.name = name;
    this.values = values;
    this.text = text;
    this.#known = known;
    this.#columns = known.get(name);
    this.#done = done;
  }

  /** Called by `pg` for what it sends of a query. */
  prepare(connection: pg.Connection): void {
    this.send(connection);
    connection.sync();
  }

  /** Sends the run without its end: where it fails, the server skips what follows up to the next end. */
  send(connection: pg.Connection): void {
    const { name, values } = this;
    const { parsedStatements, submittedNamedStatements } = connection as unknown as Noted;
    if (!(name in parsedStatements) && !(name in submittedNamedStatements)) {
      connection.parse({ name, text: this.text, types: [] }, true);
      submittedNamedStatements[name] = this.text;
    }
    connection.bind({ statement: name, values }, true);
    if (!this.#columns) connection.describe({ type: 'P', name: '' }, true);
    connection.execute({ portal: '' }, true);
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: PARSERS[dataTypeID] ?? plain }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    try {
      this.#rows.push(toRow(this.#columns!, fields) as Row);
    } catch (error) {
      this.#unreadable ??= error as Error;
    }
  }

  handleCommandComplete(): void {
    if (!this.#known.has(this.name)) this.#known.set(this.name, this.#columns ?? []);
  }

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    this.#done(this.#unreadable, this.#rows);
  }

  handleError(error: Error): void {
    this.#done(error, []);
  }
}

/**
 * Runs that the server takes as one: where one fails, it skips those behind it, which fail with the same error. So
 * nothing behind a `begin` that has failed is done without it.
 */
export class ExecutionGroup extends pg.Query {
  /** Of the run that is answered next: `pg` notes by them what the server has parsed. */
  name: string;
  text: string;
  readonly #runs: readonly Execution<object>[];
  #answered = 0;

  constructor(runs: readonly Execution<object>[]) {
    const [{ name, text }] = runs as [Execution<object>];
    super(text);
    this.#runs = runs;
    this.name = name;
    this.text = text;
  }

  /** Called by `pg` for what it sends of a query. */
  prepare(connection: pg.Connection): void {
    for (const run of this.#runs) run.send(connection);
    connection.sync();
  }

  handleRowDescription(message: Parameters<Execution<object>['handleRowDescription']>[0]): void {
    this.#runs[this.#answered]!.handleRowDescription(message);
  }

  handleDataRow(message: Parameters<Execution<object>['handleDataRow']>[0]): void {
    this.#runs[this.#answered]!.handleDataRow(message);
  }

  handleCommandComplete(): void {
    const run = this.#runs[this.#answered++]!;
    run.handleCommandComplete();
    run.handleReadyForQuery();
    const next = this.#runs[this.#answered];
    if (next) ({ name: this.name, text: this.text } = next);
  }

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {}

  handleError(error: Error, connection: pg.Connection): void {
    const { submittedNamedStatements } = connection as unknown as Noted;
    for (const run of this.#runs.slice(this.#answered)) {
      // The server has parsed none of these.
      delete submittedNamedStatements[run.name];
      run.handleError(error);
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
