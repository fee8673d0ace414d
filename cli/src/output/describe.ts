import { type Column, pairs, table } from './table.ts';
import { label, valueText } from './values.ts';

type Thing = Record<string, unknown>;

const isThing = (value: unknown): value is Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areThings = (value: unknown): value is Thing[] =>
  Array.isArray(value) && value.length > 0 && value.every(isThing);

/** One thing for people: its fields a line each, then a table for each list of things in it. */
export function describe(thing: object): string[] {
  const lines = pairs(fieldsOf(thing as Thing, '', currencyOf(thing as Thing)));
  for (const [name, value] of Object.entries(thing)) {
    if (!areThings(value)) continue;
    const columns = columnsOf(value);
    lines.push('', `${label(name)}:`, ...table(columns, withCurrency(value, currencyOf(thing as Thing))));
  }
  return lines;
}

/** What has an identity of its own is named in a line; what has none is a part of the whole. */
function fieldsOf(thing: Thing, before: string, currency: string | undefined): [string, string][] {
  return Object.entries(thing).flatMap(([name, value]): [string, string][] => {
    if (areThings(value)) return [];
    const shown = before + label(name);
    if (isThing(value) && value.id === undefined && Object.keys(value).length > 0)
      return fieldsOf(value, `${shown} `, currencyOf(value) ?? currency);
    return [[shown, valueText(name, value, currency)]];
  });
}

/** The fields that every item has and that fit into a cell. */
function columnsOf(items: Thing[]): Column<Thing>[] {
  const names = Object.keys(items[0]!);
  return names.filter((name) => name !== 'currency' && !items.some((item) => areThings(item[name])));
}

const currencyOf = (thing: Thing) => (typeof thing.currency === 'string' ? thing.currency : undefined);

const withCurrency = (items: Thing[], currency: string | undefined) =>
  currency === undefined ? items : items.map((item) => ({ currency, ...item }));
