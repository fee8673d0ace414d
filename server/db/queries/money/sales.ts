import { maybeOne, type Queryable, sql } from '../../database.ts';
import type { InvoiceRow } from './invoices.ts';
import { isSaleLine, type OrderLineRow } from './orders.ts';

/** A document's sales at one rate and category to one country and VAT id. Amounts of a credit note are negative. */
export interface SaleRow
  extends Pick<
    InvoiceRow,
    'id' | 'account_id' | 'number' | 'type' | 'status' | 'period_start_at' | 'issued_at' | 'currency'
  > {
  account_name: string;
  /** The buyer's country at the time of the sale; null if unknown. */
  country: string | null;
  vat_id: string | null;
  tax_category: OrderLineRow['tax_category'];
  tax_rate: string;
  gross_minor: bigint;
  tax_minor: bigint;
}

/** Documents per query; one rarely has more than three rows. */
const BATCH = 200;

/**
 * Yields a month's sales as in the journal, document by document: their lines and, once issued, the difference booked
 * then. Reads in batches, outside any transaction, because the consumer may be slow.
 */
export async function* salesOf(db: Queryable, month: Date): AsyncGenerator<SaleRow> {
  let after = '';
  for (;;) {
    const last = await maybeOne<{ id: string }>(
      db,
      sql`
      select max(id) as id from (
        select id from invoices where period_start_at = ${month} and id > ${after} order by id limit ${BATCH}
      ) batch having max(id) is not null`,
    );
    if (!last) return;
    yield* await db.query<SaleRow>(sql`
      with document as (
        select * from invoices
        where period_start_at = ${month} and id > ${after} and id <= ${last.id}
      ), part as (
        select document.id, trim_scale(tax_rate)::text as rate, tax_category, sold.buyer ->> 'country' as country,
          sold.buyer ->> 'vat_id' as vat_id, line.amount_minor as gross, line.tax_minor as tax
        from document join orders on invoice_id = document.id join order_lines line on order_id = orders.id,
          lateral (select line_buyer(line) as buyer) as sold
        where ${isSaleLine(sql`line`)}
        union all
        select document.id, split_part(debit, ':', 2), tax_category, country, vat_id, 0,
          case when credit like 'tax:%' then amount_minor else -amount_minor end
        from document join journal on journal.account_id = document.account_id and invoice_id = document.id
        where reason = 'rounding'
      )
      select document.id, account_id, accounts.name as account_name, number, document.type, document.status, period_start_at, issued_at,
        document.currency, sale.country, sale.vat_id, tax_category, rate as tax_rate, gross as gross_minor, tax as tax_minor
      from (
        select id, rate, tax_category, country, vat_id, sum(gross)::bigint as gross, sum(tax)::bigint as tax
        from part group by 1, 2, 3, 4, 5
      ) sale join document on document.id = sale.id join accounts on accounts.id = account_id
      order by document.id, rate, tax_category, sale.country, sale.vat_id`);
    after = last.id;
  }
}
