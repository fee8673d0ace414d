import type { InvoiceDocument } from '../domain/billing/invoice-document.ts';

export type DocumentFormat = 'pdf' | 'xml';

/** To the thread. */
export interface Order {
  document: InvoiceDocument;
  format: DocumentFormat;
}

/** From the thread: the document, or what went wrong. */
export type Answer = { bytes: Uint8Array } | { error: string };
