import type { Transaction } from '../../db/database.ts';
import type { IssuedDocument } from '../../db/queries/money/issue-invoices.ts';
import { toJsonInteger } from '../../domain/billing/money.ts';
import { mailBilling } from '../../mail/billing-contacts.ts';
import type { MailParts } from '../../mail/outbox.ts';

/**
 * Queues the mail with a document and its files in the transaction that issues it, so that it is mailed once or not
 * issued.
 */
export function mailDocument(
  tx: Transaction,
  parts: MailParts,
  { draft, number, totalMinor }: IssuedDocument,
): Promise<void> {
  const { id: invoiceId, account_id, type, currency, period_start_at } = draft;
  return mailBilling(tx, parts, account_id, 'document_issued', `document ${invoiceId}`, (account) => ({
    ...{ account, type, invoiceId, number, currency },
    periodStartAt: period_start_at.toISOString(),
    totalMinor: toJsonInteger(totalMinor),
  }));
}
