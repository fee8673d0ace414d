import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';
export type Language = 'en' | 'de';

export const LANGUAGES: Record<Language, string> = { en: 'English', de: 'Deutsch' };
const A_YEAR = 365 * 24 * 3600;
/** The documentation has no settings of its own: it uses the ones that were chosen last. */
const DOCS = '/docs';

const listeners = new Set<() => void>();
const root = document.documentElement;
/** The path of the customers' or the operator's pages; each keeps its own settings. */
const home = `/${location.pathname.split('/', 2)[1]}`;

/** Stores a setting in a cookie, so that the service can send the page in the right theme and language. */
function keep(name: string, value: string | undefined, path = home): void {
  const age = value === undefined ? 0 : A_YEAR;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet.
  document.cookie = `${name}=${value ?? ''}; Path=${path}; SameSite=Lax; Max-Age=${age}`;
}

function cookie(name: string): string | undefined {
  return new RegExp(`(?:^|;\\s*)${name}=([^;]+)`).exec(document.cookie)?.[1];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const changed = () => {
  for (const listener of listeners) listener();
};

export function theme(): Theme {
  const given = root.dataset.theme;
  return given === 'light' || given === 'dark' ? given : 'system';
}

export function setTheme(chosen: Theme): void {
  if (chosen === 'system') delete root.dataset.theme;
  else root.dataset.theme = chosen;
  for (const path of [home, DOCS]) keep('vauban_theme', chosen === 'system' ? undefined : chosen, path);
  changed();
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, theme);
}

const isLanguage = (text: string | undefined): text is Language => text !== undefined && text in LANGUAGES;

function languageOfBrowser(): Language {
  return navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';
}

const chosenBefore = cookie('vauban_language');
let language: Language = isLanguage(chosenBefore) ? chosenBefore : languageOfBrowser();
root.lang = language;

export function currentLanguage(): Language {
  return language;
}

/** Returns whether the language was chosen in this browser, rather than guessed. */
export function isLanguageChosen(): boolean {
  return isLanguage(cookie('vauban_language'));
}

export function setLanguage(chosen: string): void {
  if (!isLanguage(chosen)) return;
  language = chosen;
  root.lang = chosen;
  keep('vauban_language', chosen);
  changed();
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, currentLanguage);
}
