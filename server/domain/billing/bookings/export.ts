import { type Database, empty, sql } from '../../../db/database.ts';
import { type BookingRow, bookingsOf, bookingTotals, type Days } from '../../../db/queries/money/bookings.ts';
import { salesOf } from '../../../db/queries/money/sales.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import type { Catalog } from '../../catalog/catalog-schema.ts';
import { csvOf } from './csv.ts';
import { DATEV_MAX_ENTRIES, datevAccount, datevOf, requireDatev } from './datev.ts';
import { salesCsv } from './sales-csv.ts';

export const EXPORT_FORMATS = ['csv', 'datev'] as const;

export interface ExportRequest {
  /** Such as "2026-01", in UTC. */
  month: string;
  format: (typeof EXPORT_FORMATS)[number];
  /** The part to export, from 1, if a month has too many entries for one file. */
  part?: number;
}

/** The bytes of a file, generated as they are read. */
export type FileContent = AsyncGenerator<Buffer>;

/** Exports a month's journal for bookkeeping. Refuses anything that cannot be exported before the first byte. */
export async function exportBookings(
  { db, clock, catalog }: { db: Database; clock: Clock; catalog: Catalog },
  { month, format, part }: ExportRequest,
): Promise<FileContent> {
  const days = daysOf(month);
  requireBegun(days, clock);
  if (format === 'csv') {
    if (part !== undefined)
      throw invalidField('part', 'not_allowed', 'does not apply to CSV, which is a single file');
    return csvOf(bookingsOf(db, days, empty));
  }
  const { datev } = catalog;
  if (!datev) throw new ApiError('invalid_state', 'The catalog has no DATEV settings. See docs/billing.md.');
  const all = await bookingTotals(db, days, empty);
  requireDatev(datev, all);
  const accounts = Object.fromEntries(all.accounts.map((code) => [code, datevAccount(datev, code)]));
  const map = sql`${JSON.stringify(accounts)}::text::jsonb`;
  // A movement between two accounts that map to the same one is not a booking there.
  const rest = sql`and ${map} ->> debit <> ${map} ->> credit`;
  const { count } = await bookingTotals(db, days, rest);
  const parts = Math.max(1, Math.ceil(count / DATEV_MAX_ENTRIES));
  // One of several files must not be mistaken for the whole month.
  if ((part ?? parts) > parts || (part === undefined && parts > 1))
    throw invalidField(
      'part',
      'out_of_range',
      `must be 1 to ${parts}: a file has ${DATEV_MAX_ENTRIES} entries`,
    );
  const skip = ((part ?? 1) - 1) * DATEV_MAX_ENTRIES;
  const bookings = only(bookingsOf(db, days, rest), skip, DATEV_MAX_ENTRIES);
  return datevOf(bookings, {
    datev,
    days,
    currency: all.currencies[0] ?? catalog.currency,
    now: clock.now(),
  });
}

/** Exports a month's sales as CSV, including those on draft documents. */
export function exportSales({ db, clock }: { db: Database; clock: Clock }, month: string): FileContent {
  requireBegun(daysOf(month), clock);
  return salesCsv(salesOf(db, monthStart(month)));
}

function requireBegun({ from }: Days, clock: Clock): void {
  if (from > clock.now()) throw invalidField('month', 'in_the_future', 'must not be in the future');
}

/** Returns the first instant of a month such as "2026-01", in UTC. */
export const monthStart = (month: string): Date => new Date(`${month}-01T00:00:00.000Z`);

function daysOf(month: string): Days {
  const from = monthStart(month);
  return { from, to: new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1)) };
}

async function* only(
  rows: AsyncIterable<BookingRow>,
  skip: number,
  count: number,
): AsyncGenerator<BookingRow> {
  let index = 0;
  for await (const row of rows) {
    if (index >= skip + count) return;
    if (index++ >= skip) yield row;
  }
}
