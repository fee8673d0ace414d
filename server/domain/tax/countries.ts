import { COUNTRY_NAMES } from './country-names.ts';

/**
 * Member states of the European Union (Article 52 of the Treaty on European Union), ISO 3166-1 alpha-2. Their VAT ids begin
 * with the code; those of Greece with EL.
 */
const EU = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/**
 * Countries whose sales are taxed as those of another one:
 * - MC: transactions in Monaco are treated as in France (Article 7 of Directive 2006/112/EC).
 * - IM: the Isle of Man is one VAT area with the United Kingdom (Customs and Excise Agreement of 1979; section 1 of the Isle
 *   of Man Act 1979).
 * - XI: the directive applies in Northern Ireland to goods only (Article 8 of the Protocol on Ireland/Northern Ireland); a
 *   service is taxed as in the United Kingdom.
 */
const TAXED_AS: Readonly<Record<string, string>> = { MC: 'FR', IM: 'GB', XI: 'GB' };

/**
 * What was meant by codes that are no country: VAT prefixes, codes that ISO 3166 reserves (UK, EU, AC, …), and those that it
 * has withdrawn (ISO 3166-3), with what came after them.
 */
const MEANT: Readonly<Record<string, string>> = {
  UK: 'GB',
  EL: 'GR',
  ...{ AC: 'SH', TA: 'SH', DG: 'IO', CP: 'FR', CQ: 'GG', EA: 'ES', IC: 'ES', AN: 'CW SX BQ', SU: 'RU' },
  ...{ BU: 'MM', CS: 'RS ME', DD: 'DE', DY: 'BJ', FX: 'FR', HV: 'BF', NH: 'VU', RH: 'ZW', TP: 'TL' },
  ...{ VD: 'VN', YD: 'YE', YU: 'RS ME', ZR: 'CD' },
};

/** Codes by name in small letters, for those who typed it. */
const BY_NAME = new Map(Object.entries(COUNTRY_NAMES).map(([code, name]) => [name.toLowerCase(), code]));

/** Returns whether a sale to `country` is one within the European Union for VAT: of the countries taxed as a member, too. */
export const isInEu = (country: string): boolean => EU.has(taxedAs(country));

/** Returns the country by whose rules a sale to `country` is taxed: itself, except for Monaco and the like. */
export const taxedAs = (country: string): string => TAXED_AS[country] ?? country;

/**
 * Returns the country whose VAT ids the businesses of `country` have: those of Monaco have French ones, those of the Isle of
 * Man British ones, and those of Northern Ireland their own, which begin with XI.
 */
export const vatIssuer = (country: string): string => (country === 'XI' ? country : taxedAs(country));

/** Returns how VAT ids of `country` begin: with its code, in Greece with EL (Article 215 of Directive 2006/112/EC). */
export const vatPrefix = (country: string): string => (country === 'GR' ? 'EL' : vatIssuer(country));

/** Returns whether `code` is one of {@link COUNTRY_NAMES}, in capitals. */
export const isCountry = (code: string): boolean => Object.hasOwn(COUNTRY_NAMES, code);

/** Returns the country's name in English. */
export const countryName = (code: string): string => (isCountry(code) ? COUNTRY_NAMES[code]! : code);

/** Returns why `text` is no country, and which one was probably meant: for those who have to correct it. */
export function notACountry(text: string): string {
  const meant = MEANT[text.toUpperCase()] ?? BY_NAME.get(text.toLowerCase());
  if (meant === undefined) return 'must be the ISO 3166-1 code of a country, such as DE';
  const choices = meant.split(' ').map((code) => `${code} (${countryName(code)})`);
  return `must be the ISO 3166-1 code of a country: use ${choices.join(' or ')} instead of ${text}`;
}

/**
 * Returns a country's code in an e-invoice; undefined if it has none there. That is the list of rule BR-CL-14 (EN 16931 code
 * lists of the European Commission, as its CII validation rules 1.3.16 have it), which differs from ISO in two places: Kosovo
 * is 1A, and South Sudan is missing.
 */
export function eInvoiceCountry(code: string): string | undefined {
  if (code === 'XK') return '1A';
  return isCountry(code) && code !== 'SS' ? code : undefined;
}
