// biome-ignore-all lint/style/noRestrictedGlobals: numbers, dates and sizes as a language writes them; money is in money.ts
import { minorText, priceText } from './money.ts';
import { currentLanguage, useLanguage } from './settings.ts';

/** English dates as readers outside the US expect them: day before month, 24 hours. */
const LOCALES = { en: 'en-GB', de: 'de-DE' } as const;

export function localeNow(): string {
  return LOCALES[currentLanguage()];
}

/** The BCP 47 tag for formatting numbers and times. */
export function useLocale(): string {
  return LOCALES[useLanguage()];
}

const made = new Map<string, unknown>();
/** Formatters are expensive to create, and a table needs one in every cell. */
function once<Made>(key: string, make: () => Made): Made {
  const known = made.get(key) as Made | undefined;
  if (known) return known;
  const fresh = make();
  made.set(key, fresh);
  return fresh;
}

/** Formats an amount in minor units, such as "€93.00". */
export function formatMoney(minor: number, currency: string, locale = localeNow()): string {
  return minorText(minor, currency, locale);
}

/** Formats a decimal in major units, such as "0.0096", with all of its digits. */
export function formatDecimal(decimal: string, currency: string, locale = localeNow()): string {
  return priceText(decimal, currency, locale);
}

export function formatNumber(value: number, locale = localeNow(), digits = 0): string {
  const options = { maximumFractionDigits: digits };
  return once(`number ${locale} ${digits}`, () => new Intl.NumberFormat(locale, options)).format(value);
}

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };
const TIME: Intl.DateTimeFormatOptions = { ...DATE, hour: '2-digit', minute: '2-digit' };

/** Formats a day, such as "22 Dec 2026". */
export function formatDate(at: string | Date, locale = localeNow()): string {
  return once(`date ${locale}`, () => new Intl.DateTimeFormat(locale, DATE)).format(new Date(at));
}

const MONTH: Intl.DateTimeFormatOptions = { month: 'long', year: 'numeric', timeZone: 'UTC' };

/** Formats a billing month, such as "December 2026". Billing months begin at midnight UTC. */
export function formatMonth(at: string | Date, locale = localeNow()): string {
  return once(`month ${locale}`, () => new Intl.DateTimeFormat(locale, MONTH)).format(new Date(at));
}

/** Formats a day and time in the reader's time zone. */
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

/** Formats the time since or until `at`, such as "3 hours ago". */
export function formatAgo(at: string | Date, now = Date.now(), locale = localeNow()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1_000);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS.at(-1)!;
  const options = { numeric: 'auto' } as const;
  return once(`ago ${locale}`, () => new Intl.RelativeTimeFormat(locale, options)).format(
    Math.trunc(seconds / size),
    unit,
  );
}

/** Powers of 1000, because disks and traffic are sold that way. */
const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** Formats a size, such as "1.2 TB". */
export function formatBytes(bytes: number, locale = localeNow()): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), BYTES.length - 1);
  const options = { style: 'unit', unit: BYTES[power], maximumFractionDigits: power > 2 ? 1 : 0 } as const;
  return once(`bytes ${locale} ${power}`, () => new Intl.NumberFormat(locale, options)).format(
    bytes / 1_000 ** power,
  );
}
