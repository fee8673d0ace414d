import { decimalsOf, minorToDecimal, moneyFormat } from '../../shared/currencies.ts';

const made = new Map<string, ReturnType<typeof moneyFormat>>();
/** Formatters are expensive to create, and a table needs one in every cell. */
function formatOf(locale: string, currency: string, decimals = decimalsOf(currency)) {
  const key = `${locale} ${currency} ${decimals}`;
  const format = made.get(key) ?? moneyFormat(locale, currency, decimals);
  made.set(key, format);
  return format;
}

/** Returns an amount in minor units in the language's format, such as "€93.00". */
export function minorText(minor: number, currency: string, locale: string): string {
  return formatOf(locale, currency).format(minorToDecimal(minor, currency));
}

/** Returns a price in major units, such as "0.0096", with all of its decimals. */
export function priceText(decimal: string, currency: string, locale: string): string {
  const decimals = Math.max(decimalsOf(currency), decimal.split('.')[1]?.length ?? 0);
  return formatOf(locale, currency, decimals).format(decimal as `${number}`);
}
