import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { execute, maybeOne, one, type Queryable, type Sql, sql } from '../database.ts';
import { ifGiven } from './filters.ts';
import type { OrderLineRow, OrderRow } from './orders.ts';
import { type Page, pageOf } from './page.ts';

/** An invoice, or a credit note: what the orders of a month that gave money back come to. */
export type InvoiceType = 'invoice' | 'credit_note';

/** Who sells or buys, as an invoice names them. `country` is ISO 3166-1 alpha-2; null where it is not known. */
export interface PartyRow {
  name: string;
  street: string | null;
  city: string | null;
  postcode: string | null;
  country: string | null;
  vat_id: string | null;
  /** Of the tax office, where there is no VAT id. */
  tax_number: string | null;
  /** In the trade register. */
  registration_id: string | null;
  email: string | null;
}

/** The sum of an issued document's lines of one category and rate, as it is stored. */
export interface TaxedSum {
  category: OrderLineRow['tax_category'];
  tax_rate: string;
  reason: string | null;
  net_minor: number;
  tax_minor: number;
}

/** What an issued document says besides its parties and amounts. */
export interface PrintedRow {
  language: 'en' | 'de';
  /** The customer's own number. */
  order_reference: string | null;
  /** The seller's, at the foot of each page. */
  footer: string | null;
}

export interface InvoiceRow {
  id: string;
  account_id: string;
  type: InvoiceType;
  /** Given when it is issued. */
  number: string | null;
  status: 'draft' | 'open' | 'paid' | 'void';
  period_start_at: Date;
  period_end_at: Date;
  currency: string;
  issued_at: Date | null;
  paid_at: Date | null;
  /** As they were at issue; null for a draft, and a seller of whom nothing was known. */
  seller: PartyRow | null;
  buyer: PartyRow | null;
  /** Null for a draft, and for what was issued when tax was rounded on each line and added up. */
  taxes: TaxedSum[] | null;
  /** Null for a draft, and for what was issued before it was stored. */
  printed: PrintedRow | null;
}

export const invoiceColumns = sql`id, account_id, type, number, status, period_start_at, period_end_at, currency,
  issued_at, paid_at, seller, buyer, taxes, printed`;

export interface Draft {
  accountId: string;
  type: InvoiceType;
  startAt: Date;
  endAt: Date;
  currency: string;
}

/**
 * The draft of an account for a month, locked until the transaction ends, so that it is not issued meanwhile; the
 * first order opens it. What is settled in a month whose invoice has been issued, as when the clock stepped back, opens
 * another. The caller holds the account's wallet lock, which is why no draft has a twin.
 */
export async function draftFor(db: Queryable, draft: Draft, clock: Clock): Promise<string> {
  const existing = await maybeOne<{ id: string }>(
    db,
    sql`select id from invoices where account_id = ${draft.accountId} and type = ${draft.type}
      and period_start_at = ${draft.startAt} and status = 'draft' for no key update`,
  );
  if (existing) return existing.id;
  const { id } = await one<{ id: string }>(
    db,
    sql`
    insert into invoices (id, account_id, type, status, period_start_at, period_end_at, currency)
    values (${newId('inv', clock)}, ${draft.accountId}, ${draft.type}, 'draft', ${draft.startAt}, ${draft.endAt},
      ${draft.currency}) returning id`,
  );
  return id;
}

/** Notes on an order's credit note which invoices it corrects: that of the order, or those on which its VM's period was charged. */
export async function noteCorrections(
  db: Queryable,
  refund: Pick<OrderRow, 'id' | 'vm_id' | 'invoice_id' | 'corrects_order_id'>,
): Promise<void> {
  const sold = refund.corrects_order_id
    ? sql`sales.id = ${refund.corrects_order_id}`
    : sql`sales.vm_id = ${refund.vm_id} and given.to_at = sold.to_at`;
  await execute(
    db,
    sql`
    insert into invoice_corrections (credit_note_id, invoice_id)
    select distinct ${refund.invoice_id}, sales.invoice_id
    from orders sales join order_lines sold on sold.order_id = sales.id
      join order_lines given on given.order_id = ${refund.id}
    where ${sold} and sales.status = 'completed' and sales.amount_minor > coalesce(sales.deposit_minor, 0) and sales.invoice_id is not null
      and sold.unit <> 'deposit' and given.unit <> 'deposit'
    on conflict do nothing`,
  );
}

/** An invoice with the sums of its lines; tax is contained in the total. */
export interface InvoiceView extends InvoiceRow {
  total_minor: bigint;
  tax_minor: bigint;
  /** What a credit note corrects, oldest first. */
  corrects: { invoice_id: string; number: string | null }[];
}

/**
 * Invoices, with a condition; one that is issued carries its sums, those of a draft are added up, with the tax that is in the
 * amounts of each category and rate.
 */
function selectInvoices(rest: Sql): Sql {
  return sql`
    select ${invoiceColumns}, coalesce(invoices.total_minor, lines.total, 0)::bigint as total_minor,
      coalesce(invoices.tax_minor, lines.tax, 0)::bigint as tax_minor, coalesce((
        select jsonb_agg(jsonb_build_object('invoice_id', sold.id, 'number', sold.number) order by sold.id)
        from invoice_corrections join invoices sold on sold.id = invoice_id where credit_note_id = invoices.id
      ), '[]') as corrects
    from invoices left join lateral (
      select sum(gross) as total, sum(round(gross * tax_rate / (1 + tax_rate))) as tax from (
        select tax_rate, sum(order_lines.amount_minor) as gross
        from orders join order_lines on order_id = orders.id where invoice_id = invoices.id and invoices.status = 'draft' and unit <> 'deposit'
        group by tax_category, tax_rate
      ) as groups
    ) as lines on true
    where ${rest}`;
}

export interface InvoiceFilter {
  status?: InvoiceRow['status'];
  type?: InvoiceType;
  /** Periods that start then or later. */
  from?: Date;
  /** Periods that start before then. */
  to?: Date;
}

export function listInvoices(
  db: Queryable,
  accountId: string,
  filter: InvoiceFilter,
  page: Page,
): Promise<InvoiceView[]> {
  const { status, type, from, to } = filter;
  const matching = sql`account_id = ${accountId} and ${ifGiven(status, (given) => sql`invoices.status = ${given}`)}
    and ${ifGiven(type, (given) => sql`type = ${given}`)} and ${ifGiven(from, (given) => sql`period_start_at >= ${given}`)}
    and ${ifGiven(to, (given) => sql`period_start_at < ${given}`)}`;
  return db.query<InvoiceView>(selectInvoices(sql`${matching} ${pageOf(sql`id`, page)}`));
}

/** Lists the documents of all accounts for a month, by its first instant. */
export function listInvoicesOfMonth(db: Queryable, month: Date, page: Page): Promise<InvoiceView[]> {
  return db.query<InvoiceView>(selectInvoices(sql`period_start_at = ${month} ${pageOf(sql`id`, page)}`));
}

export function findInvoice(db: Queryable, accountId: string, id: string): Promise<InvoiceView | undefined> {
  return maybeOne<InvoiceView>(db, selectInvoices(sql`account_id = ${accountId} and id = ${id}`));
}

/** An invoice of any account, by its id or its number. */
export function systemFindInvoice(db: Queryable, name: string): Promise<InvoiceView | undefined> {
  return maybeOne<InvoiceView>(db, selectInvoices(sql`(id = ${name} or number = ${name})`));
}

export interface InvoiceLineRow extends OrderLineRow {
  vm_id: string | null;
}

/** The lines of all orders on an invoice, without deposits, which are not sold, in the order in which they were settled. */
export function invoiceLines(db: Queryable, invoice: InvoiceRow): Promise<InvoiceLineRow[]> {
  return db.query<InvoiceLineRow>(sql`
    select order_lines.*, vm_id from order_lines join orders on orders.id = order_id
    where account_id = ${invoice.account_id} and invoice_id = ${invoice.id} and status = 'completed' and unit <> 'deposit'
    order by settled_at, order_id, position`);
}
