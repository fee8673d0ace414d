import type { Queryable } from '../../../db/database.ts';
import { invoiceLines, systemFindInvoice } from '../../../db/queries/money/invoices.ts';
import { PathId } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

export const InvoiceParams = Type.Object({ id: PathId('inv', 'Identifier of the invoice, or its number') });

/** Returns an invoice with its lines, by its id or its number. */
export async function loadInvoice(db: Queryable, name: string) {
  const invoice = await systemFindInvoice(db, name);
  if (!invoice) throw notFound();
  return { invoice, lines: await invoiceLines(db, invoice) };
}
