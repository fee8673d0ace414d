import { currencyExponent, formatMicros, minorToMicros, parseMicros } from '../domain/billing/money.ts';

/** Formats minor units as a decimal in major units: 1234 EUR is "12.34". */
export function decimal(minor: bigint, currency: string): string {
  const text = formatMicros(minorToMicros(minor < 0n ? -minor : minor, currency), currencyExponent(currency));
  return minor < 0n ? `-${text}` : text;
}

/** Formats a tax rate as a percentage without trailing zeros: "0.08875" is "8.875". */
export const percent = (rate: string): string => formatMicros(parseMicros(rate) * 100n).replace(/\.?0+$/, '');

/** Returns the day of an instant in UTC, such as "2026-01-31". */
export const day = (instant: Date): string => instant.toISOString().slice(0, 10);
