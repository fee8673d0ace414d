import { minorToDecimal, moneyFormat } from '../../shared/currencies.ts';

/** The languages that mails are written in. */
export const LOCALES = ['en', 'de'] as const;
export type Locale = (typeof LOCALES)[number];

/** The language of `text`, or English where it is none of ours. */
export const localeOf = (text: string): Locale => LOCALES.find((locale) => locale === text) ?? 'en';

/** What a mail says, as plain text: how it looks, and what has to be escaped, is the layout's business. */
export interface Content {
  subject: string;
  /** Each one is a sentence or some. */
  paragraphs: readonly string[];
  /** Names and values, as of a device or of an amount that is due. */
  facts?: readonly (readonly [name: string, value: string])[];
  /** What to do next, by one link. */
  action?: { label: string; url: string };
  /** What follows in small print, such as what to do about a mail that was not asked for. */
  notes?: readonly string[];
}

/** What a template may say besides its values. */
export interface Context {
  /** The hoster's name. */
  brand: string;
  /** Where the panel is, without a slash at its end. */
  panelUrl: string;
}

/** A template: the same content in every language, from the same values. */
export type Template<Values> = Record<Locale, (values: Values, context: Context) => Content>;

/** An instant as people write it, in UTC: where a reader is, is not known. */
export function instant(iso: string, locale: Locale): string {
  // biome-ignore lint/style/noRestrictedGlobals: shows a date
  const text = new Intl.DateTimeFormat(INTL[locale], {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(new Date(iso));
  return `${text} UTC`;
}

/** The month of an instant in UTC, such as "January 2026". */
export function month(iso: string, locale: Locale): string {
  const parts = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  // biome-ignore lint/style/noRestrictedGlobals: shows a date
  return new Intl.DateTimeFormat(INTL[locale], parts).format(new Date(iso));
}

/** An amount in minor units, as people write it. */
export function money(minor: number, currency: string, locale: Locale): string {
  return moneyFormat(INTL[locale], currency).format(minorToDecimal(minor, currency));
}

/** Dates with the day first, in both. */
const INTL: Record<Locale, string> = { en: 'en-GB', de: 'de-DE' };
