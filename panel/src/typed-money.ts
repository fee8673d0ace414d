import { decimalsOf, minorToDecimal } from '../../shared/currencies.ts';

/**
 * Parses an amount as typed, "12", "12.5" or "12,50", into minor units. Returns undefined if it is not an amount or has
 * more decimals than the currency: it is never rounded.
 */
export function parseMoney(text: string, currency: string): number | undefined {
  const match = /^(\d{1,12})(?:[.,](\d{1,4}))?$/.exec(text.replace(/[\s€$£¥]/g, ''));
  const digits = decimalsOf(currency);
  const [whole = '', decimals = ''] = match?.slice(1) ?? [];
  if (!match || decimals.length > digits) return undefined;
  const minor = Number(whole + decimals.padEnd(digits, '0'));
  return Number.isSafeInteger(minor) ? minor : undefined;
}

/** Returns an amount as initial value or example of a field: 1250 in EUR is "12.50". */
export const fieldText = (minor: number, currency: string): string => minorToDecimal(minor, currency);

/** Returns an example of an amount in `currency`: "12.50", "12.500" or, without decimals, "1250". */
export function exampleAmount(currency: string, decimalPoint: string): string {
  return minorToDecimal(decimalsOf(currency) === 3 ? 12_500 : 1_250, currency).replace('.', decimalPoint);
}
