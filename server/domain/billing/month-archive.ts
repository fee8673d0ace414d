import type { Database } from '../../db/database.ts';
import { type InvoiceView, invoiceLines, listInvoicesOfMonth } from '../../db/queries/money/invoices.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import type { ArchivedFile } from '../../platform/tar.ts';
import { type InvoiceDocument, invoiceDocument } from './invoice-document.ts';

/** Renders documents outside the service's own thread. */
interface Renderer {
  render(accountId: string, document: InvoiceDocument, format: 'pdf' | 'xml'): Promise<Buffer>;
}

interface ArchiveServices {
  db: Database;
  clock: Clock;
  documents: Renderer;
}

/** Documents read per query. */
const BATCH = 100;
/**
 * If customers' documents fill the queue, the archive waits for its turn: it tries this many times, at this interval.
 */
const MAX_TRIES = 60;
const RETRY_MS = 5_000;

/**
 * Makes the files of a month's documents, one at a time, newest first: PDF and XML of each issued document. If a
 * document has no such file, a text file of the same name says why. A file that cannot be made does not stop the
 * others: in that case, a last file lists each failure with its reason.
 */
export async function* monthFiles(services: ArchiveServices, month: Date): AsyncGenerator<ArchivedFile> {
  const folder = month.toISOString().slice(0, 7);
  let afterId: string | null = null;
  const missing: string[] = [];
  for (;;) {
    const found: InvoiceView[] = await listInvoicesOfMonth(services.db, month, { limit: BATCH, afterId });
    const page = found.slice(0, BATCH);
    for (const invoice of page)
      if (invoice.number !== null) yield* filesOf(services, invoice, folder, missing);
    if (found.length <= BATCH) break;
    afterId = page.at(-1)!.id;
  }
  if (missing.length > 0)
    yield {
      name: `${folder}/MISSING.txt`,
      content: Buffer.from(missing.map((line) => `${line}\n`).join('')),
      at: services.clock.now(),
    };
}

async function* filesOf(
  services: ArchiveServices,
  invoice: InvoiceView,
  folder: string,
  missing: string[],
): AsyncGenerator<ArchivedFile> {
  const lines = await invoiceLines(services.db, invoice);
  for (const format of ['pdf', 'xml'] as const) {
    const name = `${folder}/${invoice.number}.${format}`;
    const at = invoice.issued_at!;
    try {
      const make = () =>
        services.documents.render(invoice.account_id, invoiceDocument(invoice, lines), format);
      yield { name, content: await inTurn(services.clock, make), at };
    } catch (error) {
      const reason = (error as Error).message.replaceAll('\n', ' ');
      if (error instanceof ApiError && error.code === 'document_unavailable')
        yield { name: `${name}.txt`, content: Buffer.from(`${reason}\n`), at };
      else missing.push(`${invoice.number}.${format}: ${reason}`);
    }
  }
}

async function inTurn(clock: Clock, make: () => Promise<Buffer>): Promise<Buffer> {
  for (let tries = 1; ; tries++) {
    try {
      return await make();
    } catch (error) {
      const isBusy = error instanceof ApiError && error.code === 'service_unavailable';
      if (!isBusy || tries === MAX_TRIES) throw error;
      await clock.sleep(RETRY_MS);
    }
  }
}
