/** Member states of the European Union, ISO 3166-1 alpha-2. Their VAT ids begin with the code; those of Greece with EL. */
const EU = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

export const isInEu = (country: string): boolean => EU.has(country);

/** Codes that Intl has a name for although they are no country: unions, placeholders, test data. */
const NO_COUNTRY = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);
const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Whether `code` is the ISO 3166-1 alpha-2 code of a country, in capitals. */
export const isCountry = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) && !NO_COUNTRY.has(code) && names.of(code) !== undefined;

/** The country's name in English. */
export const countryName = (code: string): string => names.of(code) ?? code;
