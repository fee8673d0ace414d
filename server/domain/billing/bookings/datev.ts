import type { BookingRow, BookingTotals, Days } from '../../../db/queries/money/bookings.ts';
import { ApiError } from '../../../platform/errors.ts';
import type { Datev } from '../../catalog/datev-schema.ts';
import { currencyExponent } from '../money.ts';
import { decimal } from './csv.ts';
import { DATEV_COLUMNS, DATEV_TEXT_COLUMNS } from './datev-columns.ts';
import { windows1252 } from './windows-1252.ts';

/** The most entries in one file; DATEV refuses longer ones. */
export const DATEV_MAX_ENTRIES = 99_999;
/** Ten digits before the comma. */
const MAX_AMOUNT = 10n ** 10n;
const DECIMALS = 2;
const MAX_TEXT = 60;
const MAX_DOCUMENT = 36;
const MAX_VAT_ID = 15;

/** Returns the bookkeeping account for a ledger account, by its whole code or, otherwise, by its kind. */
export function datevAccount({ accounts }: Datev, code: string): string | undefined {
  return accounts[code] ?? accounts[code.split(':', 1)[0]!];
}

/**
 * Returns whether two ledger accounts map to the same account in DATEV, so that nothing has to be booked between them.
 */
export function sameInDatev(datev: Datev, debit: string, credit: string): boolean {
  return datevAccount(datev, debit) === datevAccount(datev, credit);
}

/** Refuses data that the format cannot express, before anything is written. */
export function requireDatev(datev: Datev, { accounts, currencies, largest_minor }: BookingTotals): void {
  const missing = accounts.filter((code) => datevAccount(datev, code) === undefined);
  if (missing.length > 0) {
    const list = missing.join(', ');
    throw new ApiError('invalid_state', `The catalog's datev.accounts has no account for ${list}.`);
  }
  const fine = currencies.find((currency) => currencyExponent(currency) > DECIMALS);
  if (fine) throw new ApiError('invalid_state', `DATEV supports two decimals, but ${fine} has more.`);
  const limit = MAX_AMOUNT * 10n ** BigInt(currencyExponent(currencies[0] ?? 'EUR'));
  if ((largest_minor ?? 0n) >= limit)
    throw new ApiError('invalid_state', 'An amount has more digits than DATEV supports.');
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const day = (at: Date) => at.toISOString().slice(0, 10).replaceAll('-', '');

function fiscalYearStart({ fiscal_year_month = 1 }: Datev, { from }: Days): Date {
  const year = from.getUTCFullYear() - (from.getUTCMonth() + 1 < fiscal_year_month ? 1 : 0);
  return new Date(Date.UTC(year, fiscal_year_month - 1, 1));
}

/** The header line with the owner of the books, the fiscal year and the days; 31 fields. */
function header(datev: Datev, days: Days, currency: string, now: Date): string {
  const lastDay = new Date(days.to.getTime() - 1);
  const month = days.from.toISOString().slice(0, 7);
  const createdAt = now.toISOString().replaceAll(/\D/g, '');
  return [
    ...[quoted('EXTF'), '700', '21', quoted('Buchungsstapel'), '13', createdAt, ''],
    ...[quoted('VB'), quoted('Vauban'), quoted('')],
    ...[
      `${datev.consultant}`,
      `${datev.client}`,
      day(fiscalYearStart(datev, days)),
      `${datev.account_length}`,
    ],
    // Financial accounting, for every purpose, open to changes.
    ...[day(days.from), day(lastDay), quoted(`Vauban ${month}`), quoted(''), '1', '0', '0', quoted(currency)],
    ...['', quoted(''), '', '', quoted(datev.chart ?? ''), '', '', quoted(''), quoted('')],
  ].join(';');
}

/** "Belegfeld 1" only accepts letters, digits and a few signs. */
const documentOf = ({ document, payment_id, order_id, id }: BookingRow) =>
  (document ?? payment_id ?? order_id ?? `entry-${id}`)
    .replaceAll('_', '-')
    .replaceAll(/[^\w$&%*+\-/]/g, '')
    .slice(0, MAX_DOCUMENT);

function textOf({ reason, account_name, reference }: BookingRow): string {
  const text = [reason, reference, account_name].filter((part) => part !== null).join(' ');
  return text.replaceAll(/\p{C}/gu, ' ').slice(0, MAX_TEXT);
}

/** Names of the tax categories in German, for the tax adviser. */
const CATEGORY = {
  standard: 'steuerpflichtig',
  zero_rated: 'Nullsatz',
  exempt: 'steuerfrei',
  reverse_charge: 'Reverse Charge',
  outside_scope: 'nicht steuerbar',
} as const;

/**
 * Country, category and VAT id of a sale as "Zusatzinformation"; with reverse charge, the id also has its own field.
 */
function buyerOf({ tax_category, country, vat_id }: BookingRow): Record<string, string> {
  if (tax_category === null) return {};
  const known = { Land: country, Steuerkategorie: CATEGORY[tax_category], 'USt-IdNr.': vat_id };
  const facts = Object.entries(known).filter(([, value]) => value !== null) as [string, string][];
  const named = facts.flatMap(([kind, value], index) => [
    [`Zusatzinformation - Art ${index + 1}`, kind],
    [`Zusatzinformation- Inhalt ${index + 1}`, value],
  ]);
  const byBuyer = tax_category === 'reverse_charge' && vat_id !== null && vat_id.length <= MAX_VAT_ID;
  return { ...Object.fromEntries(named), ...(byBuyer && { 'EU-Land u. UStID (Bestimmung)': vat_id }) };
}

function record(datev: Datev, row: BookingRow): string {
  const [, month, date] = row.date.split('-');
  const amount = decimal(row.amount_minor, row.currency);
  const values: Record<string, string> = {
    'Umsatz (ohne Soll/Haben-Kz)': (amount.includes('.') ? amount : `${amount}.00`).replace('.', ','),
    'Soll/Haben-Kennzeichen': 'S',
    'WKZ Umsatz': row.currency,
    Konto: datevAccount(datev, row.debit)!,
    'Gegenkonto (ohne BU-Schlüssel)': datevAccount(datev, row.credit)!,
    Belegdatum: `${date}${month}`,
    'Belegfeld 1': documentOf(row),
    'Belegfeld 2': `${row.id}`.slice(-12),
    Buchungstext: textOf(row),
    ...buyerOf(row),
  };
  return DATEV_COLUMNS.map((column, index) => {
    const value = values[column] ?? '';
    return DATEV_TEXT_COLUMNS.has(index + 1) ? quoted(value) : value;
  }).join(';');
}

/** Writes a month's entries as a "Buchungsstapel" of DATEV: semicolons, Windows-1252, one line each. */
export async function* datevOf(
  bookings: AsyncIterable<BookingRow>,
  { datev, days, currency, now }: { datev: Datev; days: Days; currency: string; now: Date },
): AsyncGenerator<Buffer> {
  yield windows1252(`${header(datev, days, currency, now)}\r\n${DATEV_COLUMNS.join(';')}\r\n`);
  for await (const row of bookings) yield windows1252(`${record(datev, row)}\r\n`);
}
