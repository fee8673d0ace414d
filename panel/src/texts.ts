import { currentLanguage, type Language, useLanguage } from './settings.ts';

/** A text, or what makes one of what is known only later. */
type Message = string | ((...values: never[]) => string);
type Catalog = Record<string, Message>;

/** The same texts in another language: a compiler error where one is missing, or takes something else. */
type Translated<Texts extends Catalog> = {
  [Key in keyof Texts]: Texts[Key] extends string ? string : Texts[Key];
};

/** Texts in every language of the panel; each page has its own, so that they are loaded with it. */
export type Texts<Own extends Catalog> = Record<Language, Translated<Own>>;

export function defineTexts<Own extends Catalog>(en: Own, de: Translated<Own>): Texts<Own> {
  return { en: en as Translated<Own>, de };
}

/** The texts in the language of the reader. */
export function useTexts<Own extends Catalog>(texts: Texts<Own>): Translated<Own> {
  return texts[useLanguage()];
}

/** The same outside of a component. */
export function textsNow<Own extends Catalog>(texts: Texts<Own>): Translated<Own> {
  return texts[currentLanguage()];
}
