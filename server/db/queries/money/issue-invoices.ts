import {
  type Database,
  execute,
  maybeOne,
  one,
  type Queryable,
  sql,
  type Transaction,
} from '../../database.ts';
import type { InvoiceType, InvoiceView, PartyRow, PrintedRow, TaxedSum } from './invoices.ts';
import { isDeposit, isSaleLine } from './orders.ts';
import { lockWallet } from './wallets.ts';

/** Delay after a month's end: orders settled in its last moments may still be committing. */
const ISSUE_AFTER_MS = 10 * 60_000;
/** Delay before a held document is checked again, to see whether the cause has been fixed. */
const CHECK_AGAIN_MS = 10 * 60_000;

const PREFIX: Record<InvoiceType, string> = { invoice: 'INV-', credit_note: 'CN-' };
/** Minimum number of digits, padded with zeros; a longer number is shown in full. */
const NUMBER_DIGITS = 6;

/**
 * Returns drafts of a type whose month is over, oldest first. Leaves out those that were held a moment ago and credit
 * notes whose invoices are not issued yet; returns none while it is unknown which numbers are free.
 */
export async function dueDrafts(
  db: Queryable,
  type: InvoiceType,
  now: Date,
  limit: number,
): Promise<string[]> {
  const ended = new Date(now.getTime() - ISSUE_AFTER_MS);
  const checked = new Date(now.getTime() - CHECK_AGAIN_MS);
  const drafts = await db.query<{ id: string }>(sql`
    select id from invoices where status = 'draft' and type = ${type} and period_end_at <= ${ended}
      and not exists (select 1 from held_documents where invoice_id = invoices.id and checked_at > ${checked})
      and not exists (select 1 from invoice_corrections join invoices sold on sold.id = invoice_id
        where credit_note_id = invoices.id and sold.status = 'draft')
      and not exists (select 1 from number_series series where series.type = invoices.type and asked_at is not null)
    order by period_end_at, id limit ${limit}`);
  return drafts.map(({ id }) => id);
}

/** Possible recipients of a draft. */
export interface Buyers {
  /** From the account's billing profile, or its name if there is none. */
  now: PartyRow;
  /**
   * The buyer whose VAT id made the latest sale reverse-charged; null if there is none. If the draft has no such sale:
   * the buyer of the deposit that it was sold out of, of the order that it corrects (for example when a refund is
   * voided), or of the sale that a change partly refunds.
   */
  reverse_charged: PartyRow | null;
  /** From the profile; null if it has none. */
  order_reference: string | null;
  /** From the profile, or of the account's first owner; null if neither is known. */
  language: string | null;
  /** Number of orders on the draft: the draft changes only when an order joins it, so this shows whether it has. */
  orders: number;
}

/** Looks up the possible buyers of a draft: as known today, and as known when it was sold. */
export function buyersOf(db: Queryable, draft: InvoiceView): Promise<Buyers> {
  return one<Buyers>(
    db,
    sql`
    select jsonb_build_object('name', coalesce(profile.name, accounts.name), 'street', street, 'city', city,
        'postcode', postcode, 'country', country, 'vat_id', vat_id, 'tax_number', null, 'registration_id', null,
        'email', null) as now,
      coalesce((
        select buyer from orders where invoice_id = ${draft.id} and buyer ->> 'vat_id' is not null
          and amount_minor >= coalesce(deposit_minor, 0)
          and exists (select 1 from order_lines where order_id = orders.id and tax_category = 'reverse_charge' and ${isSaleLine(sql`order_lines`)})
        order by settled_at desc, id desc limit 1
      ), (
        select taken.buyer from orders used join orders taken on taken.vm_id = used.vm_id
        where used.invoice_id = ${draft.id} and used.deposit_minor is not null and taken.buyer ->> 'vat_id' is not null
          and taken.status = 'completed' and taken.settled_at <= used.settled_at
          and exists (select 1 from order_lines where order_id = taken.id and tax_category = 'reverse_charge'
            and ${isDeposit(sql`order_lines`)} and amount_minor >= 0)
        order by taken.settled_at desc, taken.id desc limit 1
      ), (
        select sold.buyer from invoice_corrections join invoices sold on sold.id = invoice_id
        where credit_note_id = ${draft.id} and sold.buyer ->> 'vat_id' is not null and exists (
          select 1 from orders join order_lines on order_id = orders.id
          where orders.invoice_id = sold.id and tax_category = 'reverse_charge' and ${isSaleLine(sql`order_lines`)})
        order by sold.issued_at desc, sold.id desc limit 1
      ), (
        with recursive corrected (id) as (
          select corrects_order_id from orders where invoice_id = ${draft.id}
          union select corrects_order_id from corrected join orders using (id)
        )
        select buyer from corrected join orders using (id) where buyer ->> 'vat_id' is not null
          and exists (select 1 from order_lines where order_id = orders.id and tax_category = 'reverse_charge' and ${isSaleLine(sql`order_lines`)})
        order by settled_at desc, id desc limit 1
      ), (
        select coalesce(sale.buyer, document.buyer) from orders given join order_lines back on back.order_id = given.id
          join orders sale on sale.vm_id = given.vm_id and sale.id <> given.id left join invoices document on document.id = sale.invoice_id
        where given.invoice_id = ${draft.id} and back.tax_category = 'reverse_charge' and back.amount_minor < 0 and ${isSaleLine(sql`back`)}
          and sale.status = 'completed' and sale.settled_at <= given.settled_at
          and coalesce(sale.buyer, document.buyer) ->> 'vat_id' is not null
          and exists (select 1 from order_lines where order_id = sale.id and tax_category = 'reverse_charge'
            and ${isSaleLine(sql`order_lines`)} and amount_minor >= 0)
        order by sale.settled_at desc, sale.id desc limit 1
      )) as reverse_charged,
      order_reference, coalesce(language, (
        select locale from memberships join people on people.id = person_id
        where memberships.account_id = accounts.id and role = 'owner' order by people.id limit 1
      )) as language,
      (select count(*)::int from orders where invoice_id = ${draft.id}) as orders
    from accounts left join billing_profiles profile on profile.account_id = accounts.id
    where accounts.id = ${draft.account_id}`,
  );
}

/** A draft and all the data that becomes final when it is issued. */
export interface Issue {
  draft: InvoiceView;
  /** Number of orders on the draft when its figures were computed. */
  orders: number;
  seller: PartyRow | null;
  buyer: PartyRow;
  printed: PrintedRow;
  taxes: TaxedSum[];
  /** Differences from the tax that was booked with the sales. */
  roundings: Rounding[];
  totalMinor: bigint;
  taxMinor: bigint;
  now: Date;
  onIssued?: (tx: Transaction, issued: IssuedDocument) => Promise<void>;
}

export interface IssuedDocument {
  draft: InvoiceView;
  number: string;
  totalMinor: bigint;
}

/**
 * Issues a draft with the next number of its type, one series for the whole installation; the document never changes
 * after that. If its tax differs from the tax of its sales, the difference is booked. Returns whether it was issued:
 * false if another order has joined it in the meantime, or another node was first.
 */
export async function issueDraft(db: Database, issue: Issue): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { draft, orders } = issue;
    await lockWallet(tx, draft.account_id);
    // Anyone who adds to the draft holds that lock.
    const state = await one<{ is_same: boolean }>(
      tx,
      sql`select status = 'draft' and (select count(*) from orders where invoice_id = invoices.id) = ${orders}::int as is_same
        from invoices where id = ${draft.id}`,
    );
    if (!state.is_same) return false;
    await bookRounding(tx, issue);
    return number(tx, issue);
  });
}

/**
 * The difference of a document's tax to that of its sales, for one rate, category and buyer; positive if more is due.
 */
export interface Rounding {
  tax_rate: string;
  tax_category: TaxedSum['category'];
  country: string | null;
  vat_id: string | null;
  due_minor: number;
}

/**
 * Books the difference between a document's tax and the tax booked with its sales. It moves between revenue and the tax
 * that is owed, because customers have already paid what they were charged.
 */
function bookRounding(tx: Transaction, { draft, roundings, now }: Issue): Promise<void> {
  return execute(
    tx,
    sql`
    insert into journal (account_id, debit, credit, amount_minor, currency, reason, invoice_id, created_at, tax_category, country,
      vat_id)
    select ${draft.account_id}, case when due_minor > 0 then 'revenue:' else 'tax:' end || rate,
      case when due_minor > 0 then 'tax:' else 'revenue:' end || rate, abs(due_minor), ${draft.currency}, 'rounding',
      ${draft.id}, ${now}, tax_category, country, vat_id
    from jsonb_to_recordset(${JSON.stringify(roundings)}::text::jsonb)
      as item (tax_rate numeric, tax_category text, country text, vat_id text, due_minor bigint),
      lateral (select trim_scale(tax_rate)::text as rate) as account
    where due_minor <> 0 order by rate, tax_category, country, vat_id`,
  );
}

async function number(tx: Transaction, issue: Issue): Promise<boolean> {
  const { draft, seller, buyer, printed, taxes, totalMinor, taxMinor, now } = issue;
  const locked = await maybeOne(
    tx,
    sql`select id from invoices where id = ${draft.id} and status = 'draft' for no key update`,
  );
  if (!locked) throw new Error(`${draft.id} was issued by a node that does not lock the wallet`);
  await execute(tx, sql`delete from held_documents where invoice_id = ${draft.id}`);
  // The lock on the series keeps numbers consecutive; the date never precedes that of the previous number.
  const series = await maybeOne<{ last: bigint; at: Date }>(
    tx,
    sql`update number_series set last = last + 1, last_issued_at = greatest(last_issued_at, ${now})
      where type = ${draft.type} and asked_at is null returning last, last_issued_at as at`,
  );
  if (!series) throw new Error(`which numbers of the series ${draft.type} are free is being asked`);
  const named = `${PREFIX[draft.type]}${String(series.last).padStart(NUMBER_DIGITS, '0')}`;
  await execute(
    tx,
    sql`
    update invoices set status = 'paid', issued_at = ${series.at}, paid_at = ${series.at},
      sequence = ${series.last}::bigint, number = ${named}, total_minor = ${totalMinor}::bigint,
      tax_minor = ${taxMinor}::bigint, taxes = ${JSON.stringify(taxes)}::text::jsonb,
      seller = ${seller && JSON.stringify(seller)}::text::jsonb, buyer = ${JSON.stringify(buyer)}::text::jsonb,
      printed = ${JSON.stringify(printed)}::text::jsonb
    where id = ${draft.id}`,
  );
  await issue.onIssued?.(tx, { draft, number: named, totalMinor });
  return true;
}
