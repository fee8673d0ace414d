import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import { execute, maybeOne, one, type Queryable, type Sql, sql } from '../../database.ts';
import { ifGiven } from '../filters.ts';
import { type Page, pageOf } from '../page.ts';
import { isSaleLine, isSameItem, type OrderLineRow, type OrderRow } from './orders.ts';

/** An invoice, or a credit note for the orders of a month that refunded money. */
export type InvoiceType = 'invoice' | 'credit_note';

/** Seller or buyer as named on an invoice. `country` is ISO 3166-1 alpha-2; null if unknown. */
export interface PartyRow {
  name: string;
  street: string | null;
  city: string | null;
  postcode: string | null;
  country: string | null;
  vat_id: string | null;
  /** Tax number from the tax office, if there is no VAT id. */
  tax_number: string | null;
  /** Number in the trade register. */
  registration_id: string | null;
  email: string | null;
}

/** Sum of an issued document's lines of one category and rate, as stored. */
export interface TaxedSum {
  category: OrderLineRow['tax_category'];
  tax_rate: string;
  reason: string | null;
  net_minor: number;
  tax_minor: number;
}

/** Printed on an issued document besides its parties and amounts. */
export interface PrintedRow {
  language: 'en' | 'de';
  order_reference: string | null;
  footer: string | null;
}

export interface InvoiceRow {
  id: string;
  account_id: string;
  type: InvoiceType;
  /** Assigned at issue. */
  number: string | null;
  status: 'draft' | 'open' | 'paid' | 'void';
  period_start_at: Date;
  period_end_at: Date;
  currency: string;
  issued_at: Date | null;
  paid_at: Date | null;
  /** As at the time of issue; null for a draft, or if nothing was known about the seller. */
  seller: PartyRow | null;
  buyer: PartyRow | null;
  /** Null for a draft, and for documents issued when tax was rounded per line and added up. */
  taxes: TaxedSum[] | null;
  /** Null for a draft, and for documents issued before this was stored. */
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
 * Returns an account's draft for a month, locked until the transaction ends so that it is not issued in the meantime.
 * The first order opens it. An order settled in a month whose invoice was already issued, for example because the clock
 * stepped back, opens another. The caller must hold the account's wallet lock, which also keeps a draft from being
 * opened twice.
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

/**
 * Records which invoices the credit note of a refund corrects: that of the corrected order, or those that charged the
 * VM's period.
 */
export async function noteCorrections(
  db: Queryable,
  refund: Pick<OrderRow, 'id' | 'vm_id' | 'invoice_id' | 'corrects_order_id'>,
): Promise<void> {
  const sold = refund.corrects_order_id
    ? sql`sales.id = ${refund.corrects_order_id}`
    : sql`sales.vm_id = ${refund.vm_id} and given.to_at = sold.to_at and ${isSameItem(sql`sold`, sql`given`)}`;
  await execute(
    db,
    sql`
    insert into invoice_corrections (credit_note_id, invoice_id)
    select distinct ${refund.invoice_id}, sales.invoice_id
    from orders sales join order_lines sold on sold.order_id = sales.id
      join order_lines given on given.order_id = ${refund.id}
    where ${sold} and sales.status = 'completed' and sales.amount_minor > coalesce(sales.deposit_minor, 0) and sales.invoice_id is not null
      and ${isSaleLine(sql`sold`)} and ${isSaleLine(sql`given`)}
    on conflict do nothing`,
  );
}

/** An invoice with its totals; tax is included in the total. */
export interface InvoiceView extends InvoiceRow {
  total_minor: bigint;
  tax_minor: bigint;
  /** The invoices that a credit note corrects, oldest first. */
  corrects: { invoice_id: string; number: string | null }[];
}

/**
 * Selects invoices with a condition. An issued invoice has its totals stored; a draft's lines are added up, with the
 * tax included in the amounts of each category and rate.
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
        from orders join order_lines on order_id = orders.id where invoice_id = invoices.id and invoices.status = 'draft' and ${isSaleLine(sql`order_lines`)}
        group by tax_category, tax_rate
      ) as groups
    ) as lines on true
    where ${rest}`;
}

export interface InvoiceFilter {
  status?: InvoiceRow['status'];
  type?: InvoiceType;
  /** Only periods that start at or after this time. */
  from?: Date;
  /** Only periods that start before this time. */
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

/** Lists the documents of all accounts for the month that starts at `month`. */
export function listInvoicesOfMonth(db: Queryable, month: Date, page: Page): Promise<InvoiceView[]> {
  return db.query<InvoiceView>(selectInvoices(sql`period_start_at = ${month} ${pageOf(sql`id`, page)}`));
}

export function findInvoice(db: Queryable, accountId: string, id: string): Promise<InvoiceView | undefined> {
  return maybeOne<InvoiceView>(db, selectInvoices(sql`account_id = ${accountId} and id = ${id}`));
}

/** Finds any account's invoice by id or number. */
export function systemFindInvoice(db: Queryable, name: string): Promise<InvoiceView | undefined> {
  return maybeOne<InvoiceView>(db, selectInvoices(sql`(id = ${name} or number = ${name})`));
}

export interface InvoiceLineRow extends OrderLineRow {
  vm_id: string | null;
}

/**
 * Returns the lines of all orders on an invoice in order of settlement, without deposits, because they sell nothing.
 */
export function invoiceLines(db: Queryable, invoice: InvoiceRow): Promise<InvoiceLineRow[]> {
  return db.query<InvoiceLineRow>(sql`
    select order_lines.*, vm_id from order_lines join orders on orders.id = order_id
    where account_id = ${invoice.account_id} and invoice_id = ${invoice.id} and status = 'completed' and ${isSaleLine(sql`order_lines`)}
    order by settled_at, order_id, position`);
}
