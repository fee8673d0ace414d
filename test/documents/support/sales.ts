import type { Database } from '../../../server/db/database.ts';
import { empty, sql } from '../../../server/db/database.ts';
import { bookingsOf, type Days } from '../../../server/db/queries/money/bookings.ts';
import { salesOf } from '../../../server/db/queries/money/sales.ts';
import { plainRate } from '../../../server/domain/billing/money.ts';
import { documentOf } from './seller.ts';

/** Net and tax by rate, country, category and VAT id in text form. */
export type Sums = Record<string, { net: bigint; tax: bigint }>;

interface Sale {
  country?: string | null;
  vat_id?: string | null;
}

const keyOf = (rate: string, { country, vat_id }: Sale, category: string) =>
  [rate, country ?? '-', category, vat_id ?? '-'].join(' ');

function add(sums: Sums, key: string, net: bigint, tax: bigint): void {
  const before = sums[key] ?? { net: 0n, tax: 0n };
  sums[key] = { net: before.net + net, tax: before.tax + tax };
}

/** Sums the lines of all documents, with the documents' own amounts. */
export async function documentSales(db: Database): Promise<Sums> {
  const sums: Sums = {};
  const all = await db.query<{ id: string; account_id: string }>(
    sql`select id, account_id from invoices order by id`,
  );
  for (const { id, account_id } of all) {
    const { invoice, figures } = await documentOf(db, account_id, id);
    for (const { sold_to, tax_rate, tax_category, net_minor, tax_minor } of figures.lines)
      add(sums, keyOf(plainRate(tax_rate), sold_to ?? invoice.buyer!, tax_category), net_minor, tax_minor);
  }
  return sums;
}

/** Sums the entries of the journal like the exports. */
export async function journalSales(db: Database, days: Days): Promise<Sums> {
  const sums: Sums = {};
  for await (const entry of bookingsOf(db, days, empty)) {
    for (const [code, amount] of [
      [entry.credit, entry.amount_minor],
      [entry.debit, -entry.amount_minor],
    ] as const) {
      const [account, rate] = code.split(':', 2) as [string, string | undefined];
      if (entry.reason === 'recognition' || !['deferred', 'revenue', 'refunds', 'tax'].includes(account))
        continue;
      const key = keyOf(rate!, entry, entry.tax_category ?? 'none');
      add(sums, key, account === 'tax' ? 0n : amount, account === 'tax' ? amount : 0n);
    }
  }
  return sums;
}

export async function listedSales(db: Database, month: Date): Promise<Sums> {
  const sums: Sums = {};
  for await (const sale of salesOf(db, month))
    add(
      sums,
      keyOf(sale.tax_rate, sale, sale.tax_category),
      sale.gross_minor - sale.tax_minor,
      sale.tax_minor,
    );
  return sums;
}
