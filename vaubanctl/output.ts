import { minorToText } from '../shared/currencies.ts';
import { safe, safeJson } from '../shared/safe-text.ts';

/** Prints a line. Whatever is in it, a customer's name or a mail server's reply, cannot write on the terminal. */
export function print(line = ''): void {
  console.log(safe(line));
}

/** Prints a line that is not the answer. */
export function note(line: string): void {
  console.error(safe(line));
}

/** Prints for scripts: the exact value, with more of its characters escaped than JSON needs. */
export function printJson(value: unknown): void {
  console.log(safeJson(value, 2));
}

/**
 * Prints rows under their headings, in columns as wide as their widest cell. A heading that ends with ">" is of numbers,
 * which stand at the right, so that amounts can be compared.
 */
export function printTable(headings: string[], rows: string[][]): void {
  const right = headings.map((heading) => heading.endsWith('>'));
  const shown = headings.map((heading) => heading.replace(/>$/, ''));
  for (const line of align([shown, ...rows], right)) print(line);
}

/** Prints one thing: names and values, a line each. */
export function printFields(fields: Record<string, string>): void {
  for (const line of align(Object.entries(fields).map(([name, value]) => [`${name}:`, value]))) print(line);
}

function align(given: string[][], right: boolean[] = []): string[] {
  // Before the widths are taken: what is escaped is wider.
  const rows = given.map((row) => row.map(safe));
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (right[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}

/** Minor units as people write them: 12345 EUR is "123.45 EUR". */
export const money: (minor: number, currency: string) => string = minorToText;

/** An instant to the second; "never" where there is none. */
export function instant(at: string | null): string {
  return at === null ? 'never' : at.replace(/\.\d+Z$/, 'Z');
}
