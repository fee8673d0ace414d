import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { InvoiceDocument } from '../domain/billing/invoice-document.ts';
import { eInvoice } from './e-invoice.ts';
import type { DocumentLook } from './look.ts';
import type { Answer, DocumentFormat, Order } from './messages.ts';
import { obstacleTo } from './obstacle.ts';
import { invoicePdf } from './pdf.ts';

// The thread that makes documents: time spent here delays no request.

/** Below the priority of the service's own thread, for when processors are scarce. */
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

// On Linux this sets the priority of the calling thread; elsewhere it would set that of the whole service.
if (process.platform === 'linux') setPriority(NICE);
parentPort!.on('message', async (order: Order) => parentPort!.postMessage(await make(order)));
