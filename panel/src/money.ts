import { currencyExponent, minorToDecimal, moneyFormat } from '../../shared/currencies.ts';

const made = new Map<string, ReturnType<typeof moneyFormat>>();
/** Formatters are costly to make, and a table asks for one in every cell. */
function formatOf(locale: string, currency: string, decimals = currencyExponent(currency)) {
  const key = `${locale} ${currency} ${decimals}`;
  const format = made.get(key) ?? moneyFormat(locale, currency, decimals);
  made.set(key, format);
  return format;
}

/** Returns an amount in minor units as a language writes it, such as "€93.00". */
export function minorText(minor: number, currency: string, locale: string): string {
  return formatOf(locale, currency).format(minorToDecimal(minor, currency));
}

/** Returns a price in major units as the API writes it, such as "0.0096", with all of its decimals. */
export function priceText(decimal: string, currency: string, locale: string): string {
  const decimals = Math.max(currencyExponent(currency), decimal.split('.')[1]?.length ?? 0);
  return formatOf(locale, currency, decimals).format(decimal as `${number}`);
}

/**
 * Returns what a person typed as an amount, in minor units: "12", "12.5" and "12,50" are understood. Undefined if it is no
 * amount, or has more decimals than the currency: it is never rounded.
 */
export function parseMoney(text: string, currency: string): number | undefined {
  const match = /^(\d{1,12})(?:[.,](\d{1,4}))?$/.exec(text.replace(/[\s€$£¥]/g, ''));
  const digits = currencyExponent(currency);
  const [whole = '', decimals = ''] = match?.slice(1) ?? [];
  if (!match || decimals.length > digits) return undefined;
  const minor = Number(whole + decimals.padEnd(digits, '0'));
  return Number.isSafeInteger(minor) ? minor : undefined;
}

/** Returns an amount for a field to begin with, or to give as an example: 1250 EUR is "12.50". */
export const fieldText = (minor: number, currency: string): string => minorToDecimal(minor, currency);

/** Returns an amount to show how one is typed in `currency`: "12.50", "12.500" or, without decimals, "1250". */
export function exampleAmount(currency: string, decimalPoint: string): string {
  return minorToDecimal(currencyExponent(currency) === 3 ? 12_500 : 1_250, currency).replace(
    '.',
    decimalPoint,
  );
}
