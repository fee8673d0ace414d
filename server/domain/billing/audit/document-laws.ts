import { type Sql, sql } from '../../../db/database.ts';
import { isSaleLine } from '../../../db/queries/money/orders.ts';
import type { AccountLaw, Scope } from './law.ts';

/** The sales on issued documents, by category and rate: gross, and the tax booked with the sales. */
const sold = (scope: Scope): Sql => sql`(
  select invoice_id, tax_category, trim_scale(tax_rate) as rate, sum(line.amount_minor) as gross, sum(line.tax_minor) as tax
  from orders join order_lines line on order_id = orders.id
  where invoice_id is not null and ${isSaleLine(sql`line`)} and ${scope(sql`account_id`)} group by 1, 2, 3)`;

/** The amounts that issued documents state, if they state them by rate. */
const said = (scope: Scope): Sql => sql`(
  select invoices.id as invoice_id, item.category as tax_category, trim_scale(item.tax_rate) as rate,
    item.net_minor + item.tax_minor as gross, item.tax_minor as tax
  from invoices, jsonb_to_recordset(taxes) as item (category text, tax_rate numeric, net_minor bigint, tax_minor bigint)
  where ${scope(sql`account_id`)})`;

/** Compares amounts and taxes of documents with their lines and the journal. */
export const DOCUMENT_LAWS: AccountLaw[] = [
  {
    name: 'the totals of an issued document are the sums of its lines',
    // Documents issued before tax was computed on their base have the tax of their lines.
    offences: (scope) => sql`
      select i.id || ' says ' || i.total_minor || ' with ' || i.tax_minor || ' of tax, its lines are '
        || coalesce(lines.total, 0) || ' with ' || coalesce(document.tax, lines.tax, 0) as what
      from invoices i left join (
        select invoice_id, sum(gross) as total, sum(tax) as tax from ${sold(scope)} lines group by 1
      ) lines on lines.invoice_id = i.id left join (
        select invoice_id, sum(tax) as tax from ${said(scope)} document group by 1
      ) document on document.invoice_id = i.id
      where ${scope(sql`i.account_id`)} and i.status <> 'draft' and (i.total_minor, i.tax_minor)
        is distinct from (coalesce(lines.total, 0), coalesce(document.tax, lines.tax, 0))`,
  },
  {
    name: 'the tax of a document is computed on its base, by category and rate',
    offences: (scope) => sql`
      select i.id || ' at ' || coalesce(document.rate, lines.rate) || ' (' || coalesce(document.tax_category, lines.tax_category)
        || ') says ' || coalesce(document.tax, 0) || ' of tax in ' || coalesce(document.gross, 0) || ', sold were '
        || coalesce(lines.gross, 0) as what
      from ${said(scope)} document full join ${sold(scope)} lines
        on (lines.invoice_id, lines.tax_category, lines.rate) = (document.invoice_id, document.tax_category, document.rate)
        join invoices i on i.id = coalesce(document.invoice_id, lines.invoice_id)
      where i.taxes is not null and (document.gross, document.tax)
        is distinct from (lines.gross, round(lines.gross * lines.rate / (1 + lines.rate)))`,
  },
  {
    name: 'the journal has the tax of each document, by category and rate',
    offences: (scope) => sql`
      select i.id || ' at ' || coalesce(due.rate, booked.rate) || ' differs from its sales by ' || coalesce(due.amount, 0)
        || ', booked are ' || coalesce(booked.amount, 0) as what
      from (
        select document.invoice_id, document.tax_category, document.rate, sum(document.tax - coalesce(lines.tax, 0)) as amount
        from ${said(scope)} document left join ${sold(scope)} lines
          on (lines.invoice_id, lines.tax_category, lines.rate) = (document.invoice_id, document.tax_category, document.rate)
        group by 1, 2, 3
      ) due full join (
        select invoice_id, tax_category, rate, sum(amount) as amount from (
          select invoice_id, tax_category, substr(case when credit like 'tax:%' then credit else debit end, 5)::numeric as rate,
            case when credit like 'tax:%' then amount_minor else -amount_minor end as amount
          from journal where reason = 'rounding' and ${scope(sql`account_id`)}
        ) entry group by 1, 2, 3
      ) booked on (booked.invoice_id, booked.tax_category, booked.rate) = (due.invoice_id, due.tax_category, due.rate)
        join invoices i on i.id = coalesce(due.invoice_id, booked.invoice_id)
      where coalesce(due.amount, 0) <> coalesce(booked.amount, 0)`,
  },
];
