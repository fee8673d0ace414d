import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { empty, join, maybeOne, one, type Queryable, type Sql, sql } from '../database.ts';
import type { OrderLineRow } from './orders.ts';
import { type Page, pageOf } from './page.ts';

export interface InvoiceRow {
  id: string;
  account_id: string;
  number: number;
  status: 'draft' | 'open' | 'paid' | 'void';
  period_start_at: Date;
  period_end_at: Date;
  currency: string;
  tax_rate: string;
  issued_at: Date | null;
  paid_at: Date | null;
}

export const invoiceColumns = sql`id, account_id, number, status, period_start_at, period_end_at, currency, tax_rate,
  issued_at, paid_at`;

export interface InvoiceMonth {
  accountId: string;
  startAt: Date;
  endAt: Date;
  currency: string;
  taxRate: string;
}

/**
 * The invoice of an account for a month; the first order of the month opens it as a draft. The caller holds
 * the account's wallet lock, which is why the next number has no gap and no twin.
 */
export async function invoiceForMonth(db: Queryable, month: InvoiceMonth, clock: Clock): Promise<string> {
  const existing = await maybeOne<{ id: string }>(
    db,
    sql`select id from invoices where account_id = ${month.accountId} and period_start_at = ${month.startAt}`,
  );
  if (existing) return existing.id;
  const { id } = await one<{ id: string }>(
    db,
    sql`
    insert into invoices (id, account_id, number, status, period_start_at, period_end_at, currency, tax_rate)
    select ${newId('inv', clock)}, ${month.accountId}, coalesce(max(number), 0) + 1, 'draft', ${month.startAt},
      ${month.endAt}, ${month.currency}, ${month.taxRate}
    from invoices where account_id = ${month.accountId} returning id`,
  );
  return id;
}

/** After a month's end: what was settled in its last moments may still be committing. An issued invoice never changes. */
const ISSUE_AFTER_MS = 10 * 60_000;

/** Issues every draft whose month is over. What is prepaid is paid when it is issued. Ids of what was issued. */
export function issueInvoices(db: Queryable, now: Date): Promise<{ id: string; account_id: string }[]> {
  const ended = new Date(now.getTime() - ISSUE_AFTER_MS);
  return db.query(sql`
    update invoices set status = 'paid', issued_at = ${now}, paid_at = ${now}
    where status = 'draft' and period_end_at <= ${ended} returning id, account_id`);
}

/** An invoice with the sum of its lines; tax is contained in it. */
export interface InvoiceView extends InvoiceRow {
  total_minor: bigint;
}

/** All invoices of an account, with their totals from one pass over its orders, and `and …` to be added. */
function selectInvoices(accountId: string, rest: Sql): Sql {
  return sql`
    select ${invoiceColumns}, coalesce(total_minor, 0) as total_minor
    from invoices left join (
      select invoice_id, sum(amount_minor)::bigint as total_minor
      from orders where account_id = ${accountId} and status = 'completed' group by invoice_id
    ) as totals on invoice_id = invoices.id
    where account_id = ${accountId} ${rest}`;
}

export interface InvoiceFilter {
  status?: InvoiceRow['status'];
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
  const conditions: Sql[] = [empty];
  if (filter.status) conditions.push(sql`status = ${filter.status}`);
  if (filter.from) conditions.push(sql`period_start_at >= ${filter.from}`);
  if (filter.to) conditions.push(sql`period_start_at < ${filter.to}`);
  return db.query<InvoiceView>(
    selectInvoices(accountId, sql`${join(conditions, ' and ')} ${pageOf(sql`id`, page)}`),
  );
}

export function findInvoice(db: Queryable, accountId: string, id: string): Promise<InvoiceView | undefined> {
  return maybeOne<InvoiceView>(db, selectInvoices(accountId, sql`and id = ${id}`));
}

export interface InvoiceLineRow extends OrderLineRow {
  vm_id: string | null;
}

/** The lines of all orders on an invoice, in the order in which they were settled. */
export function invoiceLines(db: Queryable, invoice: InvoiceRow): Promise<InvoiceLineRow[]> {
  return db.query<InvoiceLineRow>(sql`
    select order_lines.*, vm_id from order_lines join orders on orders.id = order_id
    where account_id = ${invoice.account_id} and invoice_id = ${invoice.id} and status = 'completed'
    order by settled_at, order_id, position`);
}
