import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { InvoiceDocument } from '../domain/billing/invoice-document.ts';
import { eInvoice } from './e-invoice.ts';
import type { DocumentLook } from './look.ts';
import type { Answer, DocumentFormat, Order } from './messages.ts';
import { obstacleTo } from './obstacle.ts';
import { invoicePdf } from './pdf.ts';

// The thread that makes documents: what costs time here holds up no request.

/** Behind the service's own thread where there are fewer processors than work. */
const NICE = 10;

async function make({ document, format, look }: Order): Promise<Answer> {
  try {
    const obstacle = obstacleTo(document) ?? null;
    const bytes = format === null ? null : await file(document, format, look, obstacle === null);
    return { bytes, obstacle };
  } catch (error) {
    return { error: (error as Error).stack ?? String(error) };
  }
}

async function file(
  document: InvoiceDocument,
  format: DocumentFormat,
  look: DocumentLook,
  mayLeave: boolean,
) {
  const xml = mayLeave ? await eInvoice(document) : undefined;
  if (format === 'pdf') return invoicePdf(document, xml, look);
  return xml === undefined ? null : Buffer.from(xml);
}

// On Linux the priority is the calling thread's; elsewhere it would be the whole service's.
if (process.platform === 'linux') setPriority(NICE);
parentPort!.on('message', async (order: Order) => parentPort!.postMessage(await make(order)));
