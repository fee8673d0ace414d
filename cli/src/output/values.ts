import { isCurrency, minorToText } from '../../../shared/currencies.ts';
import { safe } from '../../../shared/safe-text.ts';

/** Formats an amount in minor units: 12345 EUR is "123.45 EUR". */
export function money(minor: number, currency: string): string {
  // A newer service may know currencies that this program does not.
  return isCurrency(currency) ? minorToText(minor, currency) : `${minor} minor units of ${currency}`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Formats a size, such as "1.5 GiB". */
export function bytes(count: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, Math.abs(count))) / 10));
  const scaled = count / 1024 ** power;
  return `${power === 0 ? scaled : scaled.toFixed(scaled < 100 ? 1 : 0)} ${UNITS[power]}`;
}

/** Formats a value according to the name of its field. */
export function valueText(name: string, value: unknown, currency = ''): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'number' && name.endsWith('_minor') && currency) return money(value, currency);
  if (typeof value === 'number' && name.endsWith('_bytes')) return bytes(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return safe(name.endsWith('_at') ? value.replace(/\.\d+Z$/, 'Z') : value);
  if (Array.isArray(value))
    return value.length === 0 ? '-' : value.map((one) => valueText(name, one, currency)).join(', ');
  if (typeof value === 'object') return summary(value as Record<string, unknown>);
  return String(value);
}

/** Summarizes a thing in one line: "web-1 (vm_…) running". */
function summary(thing: Record<string, unknown>): string {
  const name = thing.hostname ?? thing.name ?? thing.kind ?? thing.type;
  const id = thing.id ?? thing.code;
  if (name === undefined && id === undefined) {
    const pairs = Object.entries(thing).filter(([, value]) => value !== null);
    return pairs.map(([key, value]) => `${key}=${valueText(key, value)}`).join(' ');
  }
  const parts = [name, id && name !== id ? (name ? `(${id})` : id) : undefined, thing.status];
  return safe(parts.filter(Boolean).join(' '));
}

/** Returns the label of a field: "price_monthly_minor" becomes "price monthly", because the value shows the unit. */
export const label = (name: string): string => name.replace(/_(minor|bytes)$/, '').replaceAll('_', ' ');
