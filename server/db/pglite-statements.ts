import { type PGlite, protocol } from '@electric-sql/pglite';
import { PARSERS, type Parser, SERIALIZERS } from './values.ts';

const { bind, close, describe, execute, parse, sync } = protocol.serialize;
const { DataRowMessage, ParameterDescriptionMessage, RowDescriptionMessage } = protocol.messages;

/**
 * Number of statements kept prepared. It must exceed the number the service has, or each would be planned again and
 * again. A few kilobytes each.
 */
export const MAX_PREPARED = 1_000;
/**
 * Number of runs after which a statement is planned again. A plan is made for the tables at that time: one made when a
 * table was almost empty would scan the whole table forever, because the engine has no autovacuum to notice sooner.
 */
const MAX_RUNS = 1_000;

interface Prepared {
  name: string;
  runs: number;
  serializers: ((value: unknown) => string)[];
  columns: { name: string; parse: Parser }[];
}

const plain = (text: string) => text;
const serializerOf = (type: number) =>
  (SERIALIZERS[type] as ((value: unknown) => string) | undefined) ?? String;

/**
 * Runs statements on the engine's one connection and keeps them prepared. PGlite's own `query` parses and plans
 * every time and enters the engine six times for it, which takes longer than the work itself.
 */
export class PgliteStatements {
  readonly #pg: PGlite;
  readonly #prepared = new Map<string, Prepared>();
  #made = 0;

  constructor(pg: PGlite) {
    this.#pg = pg;
  }

  /** Runs one statement. The caller makes sure that the connection is in the intended transaction. */
  run<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#pg.runExclusive(async () => {
      const { name, serializers, columns } = await this.#prepare(text);
      const written = values.map((value, index) =>
        value === null || value === undefined ? null : serializers[index]!(value),
      );
      const messages = await this.#exchange([bind({ statement: name, values: written }), execute({})]);
      const rows: Row[] = [];
      for (const message of messages) {
        if (message instanceof DataRowMessage) rows.push(toRow(columns, message.fields) as Row);
      }
      return rows;
    });
  }

  /** Forgets all statements. Call it after anything that may have changed the tables they name. */
  forget(): Promise<void> {
    return this.#pg.runExclusive(async () => {
      const names = [...this.#prepared.values()].map(({ name }) => name);
      this.#prepared.clear();
      await this.#exchange(names.map((name) => close({ type: 'S', name })));
    });
  }

  async #prepare(text: string): Promise<Prepared> {
    let prepared = this.#prepared.get(text);
    if (prepared && prepared.runs >= MAX_RUNS) {
      await this.#giveUp(text, prepared);
      prepared = undefined;
    }
    prepared ??= await this.#make(text);
    prepared.runs++;
    // Moves the statement to the end, so that the first entry is the least recently used.
    this.#prepared.delete(text);
    this.#prepared.set(text, prepared);
    if (this.#prepared.size > MAX_PREPARED) await this.#giveUp(...this.#prepared.entries().next().value!);
    return prepared;
  }

  async #make(text: string): Promise<Prepared> {
    const name = `s${++this.#made}`;
    const described = await this.#exchange([parse({ name, text }), describe({ type: 'S', name })]);
    const prepared: Prepared = { name, runs: 0, serializers: [], columns: [] };
    for (const message of described) {
      if (message instanceof ParameterDescriptionMessage) {
        prepared.serializers = message.dataTypeIDs.map(serializerOf);
      } else if (message instanceof RowDescriptionMessage) {
        prepared.columns = message.fields.map((field) => ({
          name: field.name,
          parse: PARSERS[field.dataTypeID] ?? plain,
        }));
      }
    }
    return prepared;
  }

  async #giveUp(text: string, { name }: Prepared): Promise<void> {
    this.#prepared.delete(text);
    await this.#exchange([close({ type: 'S', name })]);
  }

  /** Sends messages followed by a Sync in one go; throws the engine's error. */
  #exchange(messages: Uint8Array[]) {
    // No sync needed: the engine writes its files through, as any PostgreSQL does.
    return this.#pg.execProtocolStream(Buffer.concat([...messages, sync()]), { syncToFs: false });
  }
}

function toRow(columns: Prepared['columns'], fields: (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [index, { name, parse }] of columns.entries()) {
    const text = fields[index]!;
    row[name] = text === null ? null : parse(text);
  }
  return row;
}
