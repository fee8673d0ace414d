import { currencyExponent, minorToText } from '../../../shared/currencies.ts';

export { currencyExponent };

/**
 * Money arithmetic. Settled amounts are bigint minor units; prices below a minor unit are "micros"
 * (millionths of a major unit), also bigint. No float ever holds money.
 */
const MICROS = 1_000_000n;

/** Parses a decimal such as "4.99" into micros; at most six decimals. */
export function parseMicros(decimal: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(decimal);
  if (!match) throw new Error(`not a price: ${decimal}`);
  return BigInt(match[1]!) * MICROS + BigInt((match[2] ?? '').padEnd(6, '0'));
}

/** Formats micros as a decimal with `digits` decimals, rounded half up. */
export function formatMicros(micros: bigint, digits = 6): string {
  const unit = 10n ** BigInt(6 - digits);
  const scaled = divideRoundHalfUp(micros, unit)
    .toString()
    .padStart(digits + 1, '0');
  return digits === 0 ? scaled : `${scaled.slice(0, -digits)}.${scaled.slice(-digits)}`;
}

/** Divides, rounding half away from zero: the commercial rounding of both charges and their reversals. */
export function divideRoundHalfUp(numerator: bigint, denominator: bigint): bigint {
  const magnitude = (2n * (numerator < 0n ? -numerator : numerator) + denominator) / (2n * denominator);
  return numerator < 0n ? -magnitude : magnitude;
}

/** Divides non-negative numbers, rounding up. */
export const divideRoundUp = (numerator: bigint, denominator: bigint): bigint =>
  (numerator + denominator - 1n) / denominator;

/** Converts micros to minor units of `currency`, rounded half up. */
export function microsToMinor(micros: bigint, currency: string): bigint {
  return divideRoundHalfUp(micros * 10n ** BigInt(currencyExponent(currency)), MICROS);
}

/** Converts minor units of `currency` to micros, exactly. */
export function minorToMicros(minor: bigint, currency: string): bigint {
  return (minor * MICROS) / 10n ** BigInt(currencyExponent(currency));
}

/** Formats an amount for display, such as "6.99 EUR". */
export const formatMinor: (minor: bigint, currency: string) => string = minorToText;

/**
 * Formats a price that may have fractions of a minor unit: with as many decimals as it needs, and at least those of the
 * currency.
 */
export function priceText(micros: bigint, currency: string): string {
  const exponent = currencyExponent(currency);
  const [whole, decimals] = formatMicros(micros).split('.') as [string, string];
  const digits = decimals.replace(/0+$/, '').padEnd(exponent, '0');
  return digits === '' ? whole : `${whole}.${digits}`;
}

/** Returns a tax rate in its stored form: "0.20" becomes "0.2". */
export function plainRate(rate: string): string {
  return formatMicros(parseMicros(rate)).replace(/\.?0+$/, '');
}

/** Returns the tax contained in a gross amount at a rate such as "0.20". Prices include tax. */
export function containedTax(gross: bigint, rate: string): bigint {
  const micros = parseMicros(rate);
  return divideRoundHalfUp(gross * micros, MICROS + micros);
}

/**
 * The highest monthly price of a VM, and the highest balance that a top-up may lead to, in minor units. Sums of them,
 * such as the prices of all VMs of an account plus refunds, stay below 2^53.
 */
export const MAX_PRICE_MINOR = 10n ** 11n;
export const MAX_BALANCE_MINOR = 10n ** 15n;
/**
 * The highest price per GB of traffic, or per GB-month of snapshots: a VM uses at most some millions of them per month.
 */
export const MAX_USAGE_PRICE_MINOR = 10n ** 6n;

/** Converts an amount to a JSON integer of the API. Throws if a double cannot hold it exactly, instead of rounding. */
export function toJsonInteger(amount: bigint): number {
  const number = Number(amount);
  if (!Number.isSafeInteger(number)) throw new Error(`amount out of range: ${amount}`);
  return number;
}

export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export const sum = (amounts: bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
