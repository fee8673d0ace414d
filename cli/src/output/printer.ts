import { safe, safeJson } from '../../../shared/safe-text.ts';
import { EXIT, Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { describe } from './describe.ts';
import { type Column, table } from './table.ts';
import { yaml } from './yaml.ts';

export const FORMATS = ['table', 'wide', 'json', 'id', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

export class Printer {
  readonly #io: Io;
  readonly format: Format;

  constructor(io: Io, format: Format) {
    this.#io = io;
    this.format = format;
  }

  get isForPeople(): boolean {
    return this.format === 'table' || this.format === 'wide';
  }

  list<A extends object>(
    items: A[],
    { columns, wide = [], footer }: { columns: Column<A>[]; wide?: Column<A>[]; footer?: string | undefined },
  ): void {
    const lines = this.isForPeople
      ? table(this.format === 'wide' ? [...columns, ...wide] : columns, items)
      : this.#data(items, items);
    this.lines(...lines, ...(footer && this.isForPeople ? [safe(footer)] : []));
  }

  thing(answer: object, shown: object = answer): void {
    this.lines(...(this.isForPeople ? describe(shown) : this.#data(answer, [answer])));
  }

  lines(...lines: string[]): void {
    this.#io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  }

  #data(value: unknown, things: object[]): string[] {
    if (this.format === 'json') return [safeJson(value, 2)];
    if (this.format === 'yaml') return yaml(value);
    return things.map((thing) => safe(idOf(thing)));
  }
}

/** The main part of a reply: the first of these that has an id. */
const ABOUT = ['snapshot', 'ssh_key', 'vm', 'plan', 'job'];

function idOf(thing: object): string {
  const one = thing as Record<string, unknown>;
  const own = one.id ?? one.code ?? one.tenant_id ?? one.session_id;
  if (typeof own === 'string') return own;
  for (const name of ABOUT)
    if (typeof one[name] === 'object' && one[name] !== null) {
      const { id, code } = one[name] as { id?: unknown; code?: unknown };
      if (typeof (id ?? code) === 'string') return String(id ?? code);
    }
  throw new Failure(EXIT.wronglyCalled, 'The response has no id. Choose another format with -o.');
}
