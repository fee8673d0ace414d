// biome-ignore-all lint/style/noRestrictedGlobals: numbers, dates and sizes as a language writes them; money is in money.ts
import { minorText, priceText } from './money.ts';
import { currentLanguage, useLanguage } from './settings.ts';

/** What an English reader outside of America expects: the day before the month, 24 hours. */
const LOCALES = { en: 'en-GB', de: 'de-DE' } as const;

export function localeNow(): string {
  return LOCALES[currentLanguage()];
}

/** The BCP 47 tag by which numbers and times are written. */
export function useLocale(): string {
  return LOCALES[useLanguage()];
}

const made = new Map<string, unknown>();
/** Formatters are costly to make, and a table asks for one in every cell. */
function once<Made>(key: string, make: () => Made): Made {
  const known = made.get(key) as Made | undefined;
  if (known) return known;
  const fresh = make();
  made.set(key, fresh);
  return fresh;
}

/** An amount in minor units, such as "€93.00". */
export function formatMoney(minor: number, currency: string, locale = localeNow()): string {
  return minorText(minor, currency, locale);
}

/** A decimal in major units as the API writes it, such as "0.0096", with all of its digits. */
export function formatDecimal(decimal: string, currency: string, locale = localeNow()): string {
  return priceText(decimal, currency, locale);
}

export function formatNumber(value: number, locale = localeNow(), digits = 0): string {
  const options = { maximumFractionDigits: digits };
  return once(`number ${locale} ${digits}`, () => new Intl.NumberFormat(locale, options)).format(value);
}

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };
const TIME: Intl.DateTimeFormatOptions = { ...DATE, hour: '2-digit', minute: '2-digit' };

/** A day, such as "22 Dec 2026". */
export function formatDate(at: string | Date, locale = localeNow()): string {
  return once(`date ${locale}`, () => new Intl.DateTimeFormat(locale, DATE)).format(new Date(at));
}

const MONTH: Intl.DateTimeFormatOptions = { month: 'long', year: 'numeric', timeZone: 'UTC' };

/** A month of the books, which begins in UTC, such as "December 2026". */
export function formatMonth(at: string | Date, locale = localeNow()): string {
  return once(`month ${locale}`, () => new Intl.DateTimeFormat(locale, MONTH)).format(new Date(at));
}

/** A day and the time, in the zone of the reader. */
export function formatTime(at: string | Date, locale = localeNow()): string {
  return once(`time ${locale}`, () => new Intl.DateTimeFormat(locale, TIME)).format(new Date(at));
}

const UNITS: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** How long ago or from now, such as "3 hours ago". */
export function formatAgo(at: string | Date, now = Date.now(), locale = localeNow()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1_000);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS.at(-1)!;
  const options = { numeric: 'auto' } as const;
  return once(`ago ${locale}`, () => new Intl.RelativeTimeFormat(locale, options)).format(
    Math.trunc(seconds / size),
    unit,
  );
}

/** Sizes in powers of 1,000, as disks and traffic are sold. */
const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** A size, such as "1.2 TB". */
export function formatBytes(bytes: number, locale = localeNow()): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), BYTES.length - 1);
  const options = { style: 'unit', unit: BYTES[power], maximumFractionDigits: power > 2 ? 1 : 0 } as const;
  return once(`bytes ${locale} ${power}`, () => new Intl.NumberFormat(locale, options)).format(
    bytes / 1_000 ** power,
  );
}
