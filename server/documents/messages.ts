import type { InvoiceDocument, Obstacle } from '../domain/billing/invoice-document.ts';
import type { DocumentLook } from './look.ts';

export type DocumentFormat = 'pdf' | 'xml';

/** To the thread; if `format` is null, the document is only checked. */
export interface Order {
  document: InvoiceDocument;
  format: DocumentFormat | null;
  look: DocumentLook;
}

/**
 * From the thread: the file, if one was requested and may be issued, and the reason if there is no e-invoice; or an
 * error.
 */
export type Answer = { bytes: Uint8Array | null; obstacle: Obstacle | null } | { error: string };
