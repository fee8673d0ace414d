import { type Column, pairs, table } from './table.ts';
import { label, valueText } from './values.ts';

type Thing = Record<string, unknown>;

const isThing = (value: unknown): value is Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areThings = (value: unknown): value is Thing[] =>
  Array.isArray(value) && value.length > 0 && value.every(isThing);

/** Describes one thing: a line per field, then a table for each list in it. */
export function describe(thing: object): string[] {
  const lines = pairs(fieldsOf(thing as Thing, '', currencyOf(thing as Thing)));
  for (const [name, value] of Object.entries(thing)) {
    if (!areThings(value)) continue;
    const columns = columnsOf(value);
    lines.push('', `${label(name)}:`, ...table(columns, withCurrency(value, currencyOf(thing as Thing))));
  }
  return lines;
}

/** Nested objects with an id are summarized in one line; those without are shown in full. */
function fieldsOf(thing: Thing, before: string, currency: string | undefined): [string, string][] {
  return Object.entries(thing).flatMap(([name, value]): [string, string][] => {
    if (areThings(value)) return [];
    const shown = before + label(name);
    if (isThing(value) && value.id === undefined && Object.keys(value).length > 0)
      return fieldsOf(value, `${shown} `, currencyOf(value) ?? currency);
    return [[shown, valueText(name, value, currency)]];
  });
}

/** Returns the fields that all items have and that fit into a cell. */
function columnsOf(items: Thing[]): Column<Thing>[] {
  const names = Object.keys(items[0]!);
  return names.filter((name) => name !== 'currency' && !items.some((item) => areThings(item[name])));
}

const currencyOf = (thing: Thing) => (typeof thing.currency === 'string' ? thing.currency : undefined);

const withCurrency = (items: Thing[], currency: string | undefined) =>
  currency === undefined ? items : items.map((item) => ({ currency, ...item }));
