import { label, valueText } from './values.ts';

/** A column: the name of a field, or a heading and a function that makes its cells. */
export type Column<A> = (keyof A & string) | { heading: string; cell: (item: A) => unknown };

/** Returns rows under their headings, aligned to the widest cells. Numbers and amounts are right-aligned. */
export function table<A extends object>(columns: readonly Column<A>[], items: readonly A[]): string[] {
  const headings = columns.map((column) => label(headingOf(column).replace(/_at$/, '')).toUpperCase());
  const values = items.map((item) => columns.map((column) => fieldOf(column, item)));
  const rows = items.map((item, row) =>
    columns.map((column, at) => valueText(headingOf(column), values[row]![at], currencyOf(item))),
  );
  const right = columns.map((_, at) => values.some((row) => typeof row[at] === 'number'));
  return align([headings, ...rows], right);
}

/** Returns names and values, one pair per line. */
export const pairs = (entries: [name: string, value: string][]): string[] =>
  align(entries.map(([name, value]) => [`${name}:`, value]));

function headingOf<A>(column: Column<A>): string {
  return typeof column === 'string' ? column : column.heading;
}

function fieldOf<A>(column: Column<A>, item: A): unknown {
  return typeof column === 'string' ? item[column] : column.cell(item);
}

const currencyOf = (item: object) => ('currency' in item ? String(item.currency) : undefined);

function align(rows: string[][], right: boolean[] = []): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => [...row[column]!].length))) ?? [];
  const pad = (cell: string, column: number) => {
    const space = ' '.repeat(widths[column]! - [...cell].length);
    return right[column] ? space + cell : cell + space;
  };
  return rows.map((row) => row.map(pad).join('  ').trimEnd());
}
