import { currencyExponent, minorToText } from '../../../shared/currencies.ts';

export { currencyExponent };

/**
 * Money arithmetic. Settled amounts are bigint minor units; prices below a minor unit are "micros"
 * (millionths of a major unit), also bigint. No float ever holds money.
 */
const MICROS = 1_000_000n;

/** Parses a decimal such as "4.99" into micros; at most six digits behind the point. */
export function parseMicros(decimal: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(decimal);
  if (!match) throw new Error(`not a price: ${decimal}`);
  return BigInt(match[1]!) * MICROS + BigInt((match[2] ?? '').padEnd(6, '0'));
}

/** Micros as a decimal with `digits` behind the point, rounded half up. */
export function formatMicros(micros: bigint, digits = 6): string {
  const unit = 10n ** BigInt(6 - digits);
  const scaled = divideRoundHalfUp(micros, unit)
    .toString()
    .padStart(digits + 1, '0');
  return digits === 0 ? scaled : `${scaled.slice(0, -digits)}.${scaled.slice(-digits)}`;
}

/** Division rounded half away from zero: the commercial rounding of both charges and their reversals. */
export function divideRoundHalfUp(numerator: bigint, denominator: bigint): bigint {
  const magnitude = (2n * (numerator < 0n ? -numerator : numerator) + denominator) / (2n * denominator);
  return numerator < 0n ? -magnitude : magnitude;
}

/** Divides numbers that are not negative, rounded up. */
export const divideRoundUp = (numerator: bigint, denominator: bigint): bigint =>
  (numerator + denominator - 1n) / denominator;

/** Micros in minor units of `currency`, rounded half up. */
export function microsToMinor(micros: bigint, currency: string): bigint {
  return divideRoundHalfUp(micros * 10n ** BigInt(currencyExponent(currency)), MICROS);
}

/** Minor units of `currency` in micros, exactly. */
export function minorToMicros(minor: bigint, currency: string): bigint {
  return (minor * MICROS) / 10n ** BigInt(currencyExponent(currency));
}

/** An amount for people, such as "6.99 EUR". */
export const formatMinor: (minor: bigint, currency: string) => string = minorToText;

/** Hours that a month is taken to have where an hourly price is shown. */
const HOURS_PER_MONTH = 730n;

/** The hourly price of a monthly one, for display: a decimal with five digits. */
export function hourlyPrice(monthlyMicros: bigint): string {
  const digits = 5;
  // At once: rounded to micros before, 12.99 a month would be 0.01780 an hour instead of 0.01779.
  const units = divideRoundHalfUp(monthlyMicros, HOURS_PER_MONTH * 10n ** BigInt(6 - digits));
  return formatMicros(units * 10n ** BigInt(6 - digits), digits);
}

/** A price of parts of a minor unit: a decimal with as many digits as it has, and no fewer than the currency has. */
export function priceText(micros: bigint, currency: string): string {
  const exponent = currencyExponent(currency);
  const [whole, decimals] = formatMicros(micros).split('.') as [string, string];
  const digits = decimals.replace(/0+$/, '').padEnd(exponent, '0');
  return digits === '' ? whole : `${whole}.${digits}`;
}

/** A tax rate as it is recorded: "0.20" is "0.2". */
export function plainRate(rate: string): string {
  return formatMicros(parseMicros(rate)).replace(/\.?0+$/, '');
}

/** The tax contained in a gross amount, by a rate such as "0.20". Prices include tax. */
export function containedTax(gross: bigint, rate: string): bigint {
  const micros = parseMicros(rate);
  return divideRoundHalfUp(gross * micros, MICROS + micros);
}

/**
 * The highest price of a VM a month, and the highest balance that a top-up may lead to, in minor units. They leave what
 * is added up from them, such as the prices of all VMs of an account and what is given back, below 2^53.
 */
export const MAX_PRICE_MINOR = 10n ** 11n;
export const MAX_BALANCE_MINOR = 10n ** 15n;
/** The highest price of a GB, of traffic or of a month of snapshots: a VM uses some millions of them a month at most. */
export const MAX_USAGE_PRICE_MINOR = 10n ** 6n;

/**
 * An amount as the JSON integer of the API. Refuses what a double cannot hold exactly instead of rounding.
 */
export function toJsonInteger(amount: bigint): number {
  const number = Number(amount);
  if (!Number.isSafeInteger(number)) throw new Error(`amount out of range: ${amount}`);
  return number;
}

export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export const sum = (amounts: bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
