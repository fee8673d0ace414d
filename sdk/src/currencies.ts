// Made from shared/currencies.ts by `npm run generate`: do not edit.

/**
 * The number of decimals of each currency, from ISO 4217, list one ("Current currency & funds code list" of
 * www.six-group.com, as published on 2024-06-25 and amended until 2026-01-01). This is our own table because the
 * runtime's is unfit for bookkeeping: `Intl` follows CLDR, which describes the practice of shops and changes with the
 * ICU release. ICU 78 gives HUF, COP, IDR, PKR and a dozen others no decimals, although ISO, banks and earlier releases
 * use two.
 *
 * A code that ISO withdraws moves to {@link WITHDRAWN} and stays there, so that books kept in it can still be read. The
 * exponent of a code never changes here; the service refuses to start if it differs from that of the books.
 */
const UNUSUAL: Readonly<Record<string, number>> = {
  ...{
    BIF: 0,
    CLP: 0,
    DJF: 0,
    GNF: 0,
    ISK: 0,
    JPY: 0,
    KMF: 0,
    KRW: 0,
    PYG: 0,
    RWF: 0,
    UGX: 0,
    UYI: 0,
    VND: 0,
    VUV: 0,
    XAF: 0,
    XOF: 0,
    XPF: 0,
  },
  ...{ BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3 },
  ...{ CLF: 4, UYW: 4 },
};

/** All other currencies listed by ISO 4217. */
const TWO_DECIMALS = `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW
  CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD
  KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD
  PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD
  TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`;

/** Withdrawn since 2021 (list three), all with two decimals. */
const WITHDRAWN = 'ANG BGN CUC HRK SLL ZWL';

let known: ReadonlySet<string> | undefined;

/** Returns the codes of all currencies in ISO 4217, including recently withdrawn ones. */
export function currencies(): ReadonlySet<string> {
  known ??= new Set([...Object.keys(UNUSUAL), ...TWO_DECIMALS.split(/\s+/), ...WITHDRAWN.split(' ')]);
  return known;
}

/** Returns whether `code` is an ISO 4217 currency, in capitals. */
export const isCurrency = (code: string): boolean => currencies().has(code);

/** Returns the decimals of a currency: 2 for EUR, 0 for JPY, 3 for KWD. Throws a RangeError for an unknown code. */
export function currencyExponent(currency: string): number {
  if (!isCurrency(currency))
    throw new RangeError(`${JSON.stringify(currency)} is not a currency of ISO 4217`);
  return decimalsOf(currency);
}

/**
 * Returns the decimals of a currency that has already been checked, such as one sent by the service. This way browsers
 * do not need to load the list of currencies with two decimals.
 */
export const decimalsOf = (currency: string): number => UNUSUAL[currency] ?? 2;

/** Returns an amount in minor units as a decimal in major units, exactly: 1250 EUR is "12.50". */
export function minorToDecimal(minor: number | bigint, currency: string): `${number}` {
  const digits = decimalsOf(currency);
  const text = String(minor < 0 ? -minor : minor).padStart(digits + 1, '0');
  const amount = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return `${minor < 0 ? '-' : ''}${amount}` as `${number}`;
}

/** Returns an amount for people, such as "123.45 EUR". */
export const minorToText = (minor: number | bigint, currency: string): string =>
  `${minorToDecimal(minor, currency)} ${currency}`;

/**
 * Returns the format of amounts in `currency` for a locale, with this many decimals, for display only. The decimals are
 * passed to `Intl` because it would use its own; give it the decimal text of {@link minorToDecimal}, so that no float
 * rounds the amount.
 */
export function moneyFormat(locale: string, currency: string, decimals: number = decimalsOf(currency)) {
  // biome-ignore lint/style/noRestrictedGlobals: for display, with the decimals of the table
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}
