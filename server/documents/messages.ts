import type { InvoiceDocument, Obstacle } from '../domain/billing/invoice-document.ts';
import type { DocumentLook } from './look.ts';

export type DocumentFormat = 'pdf' | 'xml';

/** To the thread; without a format the document is only checked. */
export interface Order {
  document: InvoiceDocument;
  format: DocumentFormat | null;
  look: DocumentLook;
}

/** From the thread: the file, if one was asked for and may leave, why there is no e-invoice, or what went wrong. */
export type Answer = { bytes: Uint8Array | null; obstacle: Obstacle | null } | { error: string };
