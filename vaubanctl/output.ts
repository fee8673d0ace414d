import { minorToText } from '../shared/currencies.ts';
import { safe, safeJson } from '../shared/safe-text.ts';

/** Prints a line. Customer data and mail server replies are escaped, so that they cannot control the terminal. */
export function print(line = ''): void {
  console.log(safe(line));
}

/** Prints a line that is not part of the result, on standard error. */
export function note(line: string): void {
  console.error(safe(line));
}

/** Prints JSON for scripts: the exact value, with more characters escaped than JSON requires. */
export function printJson(value: unknown): void {
  console.log(safeJson(value, 2));
}

/**
 * Prints rows under their headings, in columns as wide as their widest cell. A heading that ends with ">" marks a
 * column of numbers, which is right-aligned.
 */
export function printTable(headings: string[], rows: string[][]): void {
  const right = headings.map((heading) => heading.endsWith('>'));
  const shown = headings.map((heading) => heading.replace(/>$/, ''));
  for (const line of align([shown, ...rows], right)) print(line);
}

/** Prints names and values, one pair per line. */
export function printFields(fields: Record<string, string>): void {
  for (const line of align(Object.entries(fields).map(([name, value]) => [`${name}:`, value]))) print(line);
}

function align(given: string[][], right: boolean[] = []): string[] {
  // Escape before measuring the widths: escaped text is longer.
  const rows = given.map((row) => row.map(safe));
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (right[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}

/** Formats an amount in minor units: 12345 EUR is "123.45 EUR". */
export const money: (minor: number, currency: string) => string = minorToText;

/** Formats a time stamp to the second; "never" for null. */
export function instant(at: string | null): string {
  return at === null ? 'never' : at.replace(/\.\d+Z$/, 'Z');
}
