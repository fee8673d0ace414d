import type { SaleRow } from '../../../db/queries/money/sales.ts';
import { csvLine, decimal } from './csv.ts';

const COLUMNS = [
  ...[
    'month',
    'document',
    'type',
    'status',
    'issued',
    'account',
    'name',
    'country',
    'vat_id',
    'tax_category',
  ],
  ...['tax_rate', 'net', 'tax', 'gross', 'currency', 'document_id'],
];

/**
 * Writes a month's sales as CSV (RFC 4180, UTF-8): a line for each document, rate, country, category and VAT id.
 * Amounts are decimals with a point; those of credit notes are negative.
 */
export async function* salesCsv(sales: AsyncIterable<SaleRow>): AsyncGenerator<Buffer> {
  yield csvLine(COLUMNS);
  for await (const sale of sales) {
    const { gross_minor, tax_minor, currency } = sale;
    yield csvLine([
      ...[sale.period_start_at.toISOString().slice(0, 7), sale.number, sale.type, sale.status],
      ...[sale.issued_at?.toISOString().slice(0, 10) ?? null, sale.account_id, sale.account_name],
      ...[sale.country, sale.vat_id, sale.tax_category, sale.tax_rate],
      decimal(gross_minor - tax_minor, currency),
      decimal(tax_minor, currency),
      decimal(gross_minor, currency),
      ...[currency, sale.id],
    ]);
  }
}
