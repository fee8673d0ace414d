import { currentLanguage, type Language, useLanguage } from './settings.ts';

/** A text, or a function that builds one from values. */
type Message = string | ((...values: never[]) => string);
type Catalog = Record<string, Message>;

/** The same texts in another language. A missing text or different parameters are a compile error. */
type Translated<Texts extends Catalog> = {
  [Key in keyof Texts]: Texts[Key] extends string ? string : Texts[Key];
};

/** Texts in every language of the panel. Each page defines its own, so that they are loaded with it. */
export type Texts<Own extends Catalog> = Record<Language, Translated<Own>>;

export function defineTexts<Own extends Catalog>(en: Own, de: Translated<Own>): Texts<Own> {
  return { en: en as Translated<Own>, de };
}

/** Returns the texts in the reader's language and re-renders when it changes. */
export function useTexts<Own extends Catalog>(texts: Texts<Own>): Translated<Own> {
  return texts[useLanguage()];
}

/** Returns the texts in the reader's language, outside of components. */
export function textsNow<Own extends Catalog>(texts: Texts<Own>): Translated<Own> {
  return texts[currentLanguage()];
}
