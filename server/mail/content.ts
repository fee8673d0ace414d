import { minorToDecimal, moneyFormat } from '../../shared/currencies.ts';

export const LOCALES = ['en', 'de'] as const;
export type Locale = (typeof LOCALES)[number];

/** Returns the locale that `text` names, or English if there is none. */
export const localeOf = (text: string): Locale => LOCALES.find((locale) => locale === text) ?? 'en';

/** The content of a mail as plain text. The layout decides how it looks and escapes it. */
export interface Content {
  subject: string;
  /** Each paragraph has one or more sentences. */
  paragraphs: readonly string[];
  /** Names and values, such as those of a device or an amount due. */
  facts?: readonly (readonly [name: string, value: string])[];
  action?: { label: string; url: string };
  /** Small print at the end, such as advice about a mail that was not requested. */
  notes?: readonly string[];
}

/** Values available to every template. */
export interface Context {
  brand: string;
  /** Address of the panel, without a trailing slash. */
  panelUrl: string;
}

/** A template: the same content in every language, from the same values. */
export type Template<Values> = Record<Locale, (values: Values, context: Context) => Content>;

/** Formats an instant for people, in UTC, because the reader's time zone is unknown. */
export function instant(iso: string, locale: Locale): string {
  // biome-ignore lint/style/noRestrictedGlobals: shows a date
  const text = new Intl.DateTimeFormat(INTL[locale], {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(new Date(iso));
  return `${text} UTC`;
}

/** Returns the month of an instant in UTC, such as "January 2026". */
export function month(iso: string, locale: Locale): string {
  const parts = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  // biome-ignore lint/style/noRestrictedGlobals: shows a date
  return new Intl.DateTimeFormat(INTL[locale], parts).format(new Date(iso));
}

/** Formats an amount in minor units for people. */
export function money(minor: number, currency: string, locale: Locale): string {
  return moneyFormat(INTL[locale], currency).format(minorToDecimal(minor, currency));
}

/** Both locales write the day first. */
const INTL: Record<Locale, string> = { en: 'en-GB', de: 'de-DE' };
