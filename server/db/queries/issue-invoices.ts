import { type Database, execute, one, sql, type Transaction } from '../database.ts';
import type { InvoiceType, PartyRow } from './invoices.ts';

/** After a month's end: what was settled in its last moments may still be committing. */
const ISSUE_AFTER_MS = 10 * 60_000;

/** What the numbers of each type begin with. */
const PREFIX: Record<InvoiceType, string> = { invoice: 'INV-', credit_note: 'CN-' };
/** Digits of a running number; a longer one is shown as it is. */
const NUMBER_DIGITS = 6;

/**
 * Issues drafts whose month is over, up to `limit`: each gets the next number of its type, one series for the whole
 * installation, and never changes from then on. What is prepaid is paid when it is issued. A credit note waits for the
 * invoices that it corrects. Each keeps who sells and who buys as it is today; a buyer of whom nothing is known has the
 * account's name. How many were issued; less than `limit` where nothing is left.
 */
export async function issueInvoices(
  db: Database,
  now: Date,
  limit = 1_000,
  seller: PartyRow | null = null,
): Promise<number> {
  const invoices = await db.transaction((tx) => issueSome(tx, 'invoice', now, limit, seller));
  if (invoices === limit) return invoices;
  return (
    invoices + (await db.transaction((tx) => issueSome(tx, 'credit_note', now, limit - invoices, seller)))
  );
}

async function issueSome(
  tx: Transaction,
  type: InvoiceType,
  now: Date,
  limit: number,
  seller: PartyRow | null,
): Promise<number> {
  const ended = new Date(now.getTime() - ISSUE_AFTER_MS);
  const drafts = await tx.query<{ id: string }>(sql`
    select id from invoices where status = 'draft' and type = ${type} and period_end_at <= ${ended}
      and not exists (select 1 from invoice_corrections join invoices sold on sold.id = invoice_id
        where credit_note_id = invoices.id and sold.status = 'draft')
    order by period_end_at, id limit ${limit} for no key update skip locked`);
  if (drafts.length === 0) return 0;
  // The lock on the series makes numbers follow each other; the date never falls behind that of the number before.
  const series = await one<{ last: bigint; at: Date; asked_at: Date | null }>(
    tx,
    sql`select last, greatest(last_issued_at, ${now}) as at, asked_at from number_series where type = ${type} for no key update`,
  );
  // Which numbers are free is not known.
  if (series.asked_at) return 0;
  const ids = JSON.stringify(drafts.map(({ id }) => id));
  await execute(
    tx,
    sql`
    update invoices set status = 'paid', issued_at = ${series.at}, paid_at = ${series.at},
      sequence = ${series.last}::bigint + place,
      number = ${PREFIX[type]} || lpad((${series.last}::bigint + place)::text,
        greatest(${NUMBER_DIGITS}::int, length((${series.last}::bigint + place)::text)), '0'),
      total_minor = total, tax_minor = tax, seller = ${seller && JSON.stringify(seller)}::text::jsonb, buyer = (
        select jsonb_build_object('name', coalesce(profile.name, accounts.name), 'street', street, 'city', city,
          'postcode', postcode, 'country', country, 'vat_id', vat_id, 'tax_number', null, 'registration_id', null,
          'email', null)
        from accounts left join billing_profiles profile on profile.account_id = accounts.id
        where accounts.id = invoices.account_id)
    from jsonb_array_elements_text(${ids}::text::jsonb) with ordinality as draft (draft_id, place), lateral (
      select coalesce(sum(order_lines.amount_minor), 0)::bigint as total,
        coalesce(sum(order_lines.tax_minor), 0)::bigint as tax
      from orders join order_lines on order_id = orders.id where invoice_id = draft_id
    ) as lines
    where id = draft_id`,
  );
  await execute(
    tx,
    sql`
    update number_series set last = last + ${drafts.length}::int, last_issued_at = ${series.at} where type = ${type}`,
  );
  return drafts.length;
}
