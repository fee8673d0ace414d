import type { BookingRow } from '../../../db/queries/money/bookings.ts';
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
 * A spreadsheet runs text starting with one of these characters as a formula, and names and references are written by
 * others. In much of Europe a semicolon separates cells, so the text after one is a separate cell.
 */
const FORMULA = /(^|;)(?= *[=+\-@\t\r])/g;
/** A negative amount is not a formula. */
const AMOUNT = /^-[0-9]+(\.[0-9]+)?$/;

function cell(value: string | null): string {
  const said = value ?? '';
  const text = AMOUNT.test(said) ? said : said.replace(FORMULA, "$1'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvLine = (cells: (string | null)[]) => Buffer.from(`${cells.map(cell).join(',')}\r\n`);

/** Formats minor units as a decimal in major units: 4990 EUR is "49.90". */
export function decimal(minor: bigint, currency: string): string {
  if (minor < 0n) return `-${decimal(-minor, currency)}`;
  return formatMicros(minorToMicros(minor, currency), currencyExponent(currency));
}

/** Writes entries of the journal as CSV (RFC 4180, UTF-8): one line each, amounts as decimals with a point. */
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
