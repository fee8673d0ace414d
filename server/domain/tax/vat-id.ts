import jsvat from 'jsvat-next';

/** The countries whose formats the library knows, by ISO 3166-1 alpha-2. */
const formats = new Map(
  Object.values(jsvat).flatMap((entry) =>
    typeof entry === 'object' && 'rules' in entry ? [[entry.codes[0]!, entry] as const] : [],
  ),
);

/** Elsewhere an id is letters and digits. */
const ANY_FORMAT = /^[A-Z0-9]{2,20}$/;

/** A VAT id as it is stored and compared: capitals and digits, without the spaces, dots and dashes of its print. */
export const normalizeVatId = (text: string): string => text.toUpperCase().replace(/[\s.-]/g, '');

/** How VAT ids of `country` begin. */
export const vatPrefix = (country: string): string => (country === 'GR' ? 'EL' : country);

/**
 * Whether a normalized VAT id has the format of `country`, its prefix included. Only the format: some states issue ids
 * whose check digits the published algorithms do not know, and whether an id is assigned only the state can say.
 */
export function hasVatFormat(country: string, vatId: string): boolean {
  const format = formats.get(country);
  return format ? jsvat.checkVAT(vatId, [format]).isValidFormat : ANY_FORMAT.test(vatId);
}
