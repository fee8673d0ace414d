import { COUNTRY_NAMES } from './country-names.ts';

/**
 * Member states of the European Union (Article 52 of the Treaty on European Union), ISO 3166-1 alpha-2. Their VAT ids
 * begin with the code, those of Greece with EL.
 */
const EU = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/**
 * Countries in which sales are taxed like those in another country:
 * - MC: transactions in Monaco are treated as in France (Article 7 of Directive 2006/112/EC).
 * - IM: the Isle of Man is one VAT area with the United Kingdom (Customs and Excise Agreement of 1979; section 1 of the
 *   Isle of Man Act 1979).
 * - XI: the directive only applies to goods in Northern Ireland (Article 8 of the Protocol on Ireland/Northern
 *   Ireland); a service is taxed as in the United Kingdom.
 */
const TAXED_AS: Readonly<Record<string, string>> = { MC: 'FR', IM: 'GB', XI: 'GB' };

/**
 * The countries meant by codes that are not countries: VAT prefixes, codes that ISO 3166 reserves (UK, EU, AC, …), and
 * codes that it has withdrawn (ISO 3166-3), with their successors.
 */
const MEANT: Readonly<Record<string, string>> = {
  UK: 'GB',
  EL: 'GR',
  ...{ AC: 'SH', TA: 'SH', DG: 'IO', CP: 'FR', CQ: 'GG', EA: 'ES', IC: 'ES', AN: 'CW SX BQ', SU: 'RU' },
  ...{ BU: 'MM', CS: 'RS ME', DD: 'DE', DY: 'BJ', FX: 'FR', HV: 'BF', NH: 'VU', RH: 'ZW', TP: 'TL' },
  ...{ VD: 'VN', YD: 'YE', YU: 'RS ME', ZR: 'CD' },
};

/** Codes by lower-case name, for people who typed the name. */
const BY_NAME = new Map(Object.entries(COUNTRY_NAMES).map(([code, name]) => [name.toLowerCase(), code]));

/**
 * Returns whether a sale to `country` is within the European Union for VAT, including countries taxed like a member.
 */
export const isInEu = (country: string): boolean => EU.has(taxedAs(country));

/**
 * Returns the country by whose rules a sale to `country` is taxed: the country itself, with exceptions such as Monaco.
 */
export const taxedAs = (country: string): string => TAXED_AS[country] ?? country;

/**
 * Returns the country whose VAT ids businesses in `country` have: French ones in Monaco, British ones on the Isle of
 * Man; Northern Ireland has its own, which begin with XI.
 */
export const vatIssuer = (country: string): string => (country === 'XI' ? country : taxedAs(country));

/** Returns the prefix of VAT ids of `country`: its code, but EL for Greece (Article 215 of Directive 2006/112/EC). */
export const vatPrefix = (country: string): string => (country === 'GR' ? 'EL' : vatIssuer(country));

/** Returns whether `code` is one of {@link COUNTRY_NAMES}, in capitals. */
export const isCountry = (code: string): boolean => Object.hasOwn(COUNTRY_NAMES, code);

/** Returns the country's name in English; for an unknown code, the code itself. */
export const countryName = (code: string): string => (isCountry(code) ? COUNTRY_NAMES[code]! : code);

/** Returns why `text` is not a country, and which one was probably meant, for people who have to correct it. */
export function notACountry(text: string): string {
  const meant = MEANT[text.toUpperCase()] ?? BY_NAME.get(text.toLowerCase());
  if (meant === undefined) return 'must be the ISO 3166-1 code of a country, such as DE';
  const choices = meant.split(' ').map((code) => `${code} (${countryName(code)})`);
  return `must be the ISO 3166-1 code of a country: use ${choices.join(' or ')} instead of ${text}`;
}

/**
 * Returns a country's code in an e-invoice; undefined if it has none. The list is that of rule BR-CL-14 (EN 16931 code
 * lists of the European Commission, in its CII validation rules 1.3.16), which differs from ISO in two places: Kosovo
 * is 1A, and South Sudan is missing.
 */
export function eInvoiceCountry(code: string): string | undefined {
  if (code === 'XK') return '1A';
  return isCountry(code) && code !== 'SS' ? code : undefined;
}
