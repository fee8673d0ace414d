import type { BookingRow } from '../../../db/queries/bookings.ts';
import { currencyExponent, formatMicros, minorToMicros } from '../money.ts';

const COLUMNS = [
  'date',
  'entry',
  'debit',
  'credit',
  'amount',
  'currency',
  'reason',
  'document',
  'account',
  'name',
  'order',
  'payment',
  'reference',
  'promo_credit',
  'tax_category',
  'country',
  'vat_id',
];

/**
 * A spreadsheet runs what begins with one of these as a formula; names and references are others' words. In much of Europe its
 * separator is a semicolon, so that what follows one is a cell of its own.
 */
const FORMULA = /(^|;)(?= *[=+\-@\t\r])/g;
/** An amount below zero is none. */
const AMOUNT = /^-[0-9]+(\.[0-9]+)?$/;

function cell(value: string | null): string {
  const said = value ?? '';
  const text = AMOUNT.test(said) ? said : said.replace(FORMULA, "$1'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A line of a file for bookkeeping. */
export const csvLine = (cells: (string | null)[]) => Buffer.from(`${cells.map(cell).join(',')}\r\n`);

/** Minor units as a decimal in major units: 4990 EUR is "49.90". */
export function decimal(minor: bigint, currency: string): string {
  if (minor < 0n) return `-${decimal(-minor, currency)}`;
  return formatMicros(minorToMicros(minor, currency), currencyExponent(currency));
}

/** Entries of the journal as CSV (RFC 4180, UTF-8): a line each, amounts as decimals with a point. */
export async function* csvOf(bookings: AsyncIterable<BookingRow>): AsyncGenerator<Buffer> {
  yield csvLine(COLUMNS);
  for await (const row of bookings) {
    yield csvLine([
      row.date,
      String(row.id),
      row.debit,
      row.credit,
      decimal(row.amount_minor, row.currency),
      row.currency,
      row.reason,
      row.document,
      row.account_id,
      row.account_name,
      row.order_id,
      row.payment_id,
      row.reference,
      row.promo_credit_id,
      row.tax_category,
      row.country,
      row.vat_id,
    ]);
  }
}
