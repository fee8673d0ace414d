import { createRequire } from 'node:module';
import type jsvat from 'jsvat-next';
import { vatIssuer } from './countries.ts';

/** The library has forty modules, so it is loaded when the first id is checked: a start checks none. */
let library: typeof jsvat | undefined;

const loadLibrary = () => (library ??= createRequire(import.meta.url)('jsvat-next') as typeof jsvat);

/** Returns the library's format for `country` (ISO 3166-1 alpha-2); undefined if it has none. */
const formatOf = (country: string) =>
  Object.values(loadLibrary())
    .filter((entry) => typeof entry === 'object' && 'rules' in entry)
    .find((entry) => entry.codes[0] === country);

/** Used for countries that the library does not know: letters and digits. */
const ANY_FORMAT = /^[A-Z0-9]{2,20}$/;

/** Returns a VAT id as it is stored and compared: capitals and digits, without the spaces, dots and dashes of print. */
export const normalizeVatId = (text: string): string => text.toUpperCase().replace(/[\s.-]/g, '');

/**
 * Returns whether a normalized VAT id has the format of `country`, prefix included. Only checks the format: some states
 * issue ids whose check digits do not match the published algorithms, and only the state knows whether an id is
 * assigned.
 */
export function hasVatFormat(country: string, vatId: string): boolean {
  return hasKnownVatFormat(country, vatId) ?? ANY_FORMAT.test(vatId);
}

/**
 * Like {@link hasVatFormat}, but returns undefined if the country's format is unknown, so that any text could be an id.
 */
export function hasKnownVatFormat(country: string, vatId: string): boolean | undefined {
  const issuer = vatIssuer(country);
  // Northern Ireland's ids are British ones with their own prefix.
  if (issuer === 'XI') return vatId.startsWith('XI') && hasKnownVatFormat('GB', `GB${vatId.slice(2)}`);
  const format = formatOf(issuer);
  return format && loadLibrary().checkVAT(vatId, [format]).isValidFormat;
}
