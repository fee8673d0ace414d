import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';
import type { InvoiceType } from './invoices.ts';

/** A draft whose month is over but which could not be issued. */
export interface HeldDocument {
  invoice_id: string;
  account_id: string;
  account_name: string;
  type: InvoiceType;
  period_start_at: Date;
  currency: string;
  /** Shown to the operator, in English. */
  reason: string;
  /** Ids of the official rules that its e-invoice would break. */
  rules: string[];
  held_at: Date;
  checked_at: Date;
}

/** Records why a draft is held. Returns false if the same reason was already recorded. */
export async function holdDocument(
  db: Queryable,
  { invoiceId, reason, rules, at }: { invoiceId: string; reason: string; rules: string[]; at: Date },
): Promise<boolean> {
  const before = await maybeOne<{ reason: string }>(
    db,
    sql`select reason from held_documents where invoice_id = ${invoiceId}`,
  );
  await execute(
    db,
    sql`
    insert into held_documents (invoice_id, reason, rules, held_at, checked_at)
    values (${invoiceId}, ${reason}, ${JSON.stringify(rules)}::text::jsonb, ${at}, ${at})
    on conflict (invoice_id) do update set reason = excluded.reason, rules = excluded.rules, checked_at = excluded.checked_at`,
  );
  return before?.reason !== reason;
}

/** Lists held documents, newest first. */
export function listHeldDocuments(db: Queryable, page: Page): Promise<(HeldDocument & { id: string })[]> {
  return db.query(sql`
    select held.*, held.invoice_id as id, account_id, accounts.name as account_name, type, period_start_at, invoices.currency
    from held_documents held join invoices on invoices.id = held.invoice_id join accounts on accounts.id = account_id
    where invoices.status = 'draft' ${pageOf(sql`held.invoice_id`, page)}`);
}
