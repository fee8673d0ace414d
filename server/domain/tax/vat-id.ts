import { createRequire } from 'node:module';
import type jsvat from 'jsvat-next';
import { vatIssuer } from './countries.ts';

/** The library, which is forty modules, loaded at the first id that is checked: a start checks none. */
let library: typeof jsvat | undefined;

const loadLibrary = () => (library ??= createRequire(import.meta.url)('jsvat-next') as typeof jsvat);

/** What the library knows of `country`, by ISO 3166-1 alpha-2; undefined where it knows nothing. */
const formatOf = (country: string) =>
  Object.values(loadLibrary())
    .filter((entry) => typeof entry === 'object' && 'rules' in entry)
    .find((entry) => entry.codes[0] === country);

/** Elsewhere an id is letters and digits. */
const ANY_FORMAT = /^[A-Z0-9]{2,20}$/;

/** A VAT id as it is stored and compared: capitals and digits, without the spaces, dots and dashes of its print. */
export const normalizeVatId = (text: string): string => text.toUpperCase().replace(/[\s.-]/g, '');

/**
 * Whether a normalized VAT id has the format of `country`, its prefix included. Only the format: some states issue ids
 * whose check digits the published algorithms do not know, and whether an id is assigned only the state can say.
 */
export function hasVatFormat(country: string, vatId: string): boolean {
  return hasKnownVatFormat(country, vatId) ?? ANY_FORMAT.test(vatId);
}

/** The same; undefined if the format of the country's ids is not known, so that any text could be one. */
export function hasKnownVatFormat(country: string, vatId: string): boolean | undefined {
  const issuer = vatIssuer(country);
  // Those of Northern Ireland are British ones with a prefix of their own.
  if (issuer === 'XI') return vatId.startsWith('XI') && hasKnownVatFormat('GB', `GB${vatId.slice(2)}`);
  const format = formatOf(issuer);
  return format && loadLibrary().checkVAT(vatId, [format]).isValidFormat;
}
