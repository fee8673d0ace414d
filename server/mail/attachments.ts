import type { Queryable } from '../db/database.ts';
import { invoiceLines, systemFindInvoice } from '../db/queries/money/invoices.ts';
import type { DocumentFormat } from '../documents/messages.ts';
import type { DocumentRenderer } from '../documents/renderer.ts';
import { invoiceDocument } from '../domain/billing/invoice-document.ts';
import { ApiError } from '../platform/errors.ts';
import type { DocumentIssuedValues } from './templates/documents.ts';

export interface Attachment {
  filename: string;
  contentType: string;
  content: Buffer;
}

/** Returns the files to attach to a mail, and the template's values with the attachments added. */
export type Attach = (
  template: string,
  values: unknown,
) => Promise<{ values: unknown; attachments: Attachment[] }>;

/**
 * Largest file that is attached: many servers accept mails of up to 10 MB, and a file grows by a third when encoded.
 */
const MAX_FILE_BYTES = 3 * 1024 * 1024;
const CONTENT_TYPE: Record<DocumentFormat, string> = { pdf: 'application/pdf', xml: 'application/xml' };

/** Attaches the PDF and the e-invoice to the mail of a document, if they exist and are not too large. */
export function attachDocuments(parts: {
  db: Queryable;
  documents: Pick<DocumentRenderer, 'render'>;
}): Attach {
  return async (template, values) => {
    if (template !== 'document_issued') return { values, attachments: [] };
    const { invoiceId } = values as DocumentIssuedValues;
    const invoice = await systemFindInvoice(parts.db, invoiceId);
    if (!invoice) return { values, attachments: [] };
    const lines = await invoiceLines(parts.db, invoice);
    const attachments: Attachment[] = [];
    const attached: DocumentFormat[] = [];
    for (const format of ['pdf', 'xml'] as const) {
      const content = await ifThereIs(async () =>
        parts.documents.render(invoice.account_id, invoiceDocument(invoice, lines), format),
      );
      if (!content || content.length > MAX_FILE_BYTES) continue;
      attachments.push({
        filename: `${invoice.number}.${format}`,
        contentType: CONTENT_TYPE[format],
        content,
      });
      attached.push(format);
    }
    return { values: { ...(values as DocumentIssuedValues), attached }, attachments };
  };
}

/** If a document is not available as a file, its mail is sent without it; any other error is retried with the mail. */
async function ifThereIs(make: () => Promise<Buffer>): Promise<Buffer | undefined> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'document_unavailable') return undefined;
    throw error;
  }
}
