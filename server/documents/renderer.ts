import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { DocumentCheck, InvoiceDocument, Obstacle } from '../domain/billing/invoice-document.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, type FieldProblem, validationFailed } from '../platform/errors.ts';
import type { Logger } from '../platform/logging.ts';
import { Reconciler } from '../platform/reconciler.ts';
import { type DocumentLook, PLAIN_LOOK } from './look.ts';
import type { Answer, DocumentFormat, Order } from './messages.ts';
import { obstacleTo } from './obstacle.ts';

/**
 * Documents that may wait for the thread: in total, about ten seconds of its work; per account, as many as it downloads
 * at once.
 */
const MAX_WAITING = 32;
const MAX_WAITING_OF_ONE = 4;
/** The longest document takes the thread about ten seconds on two slow processors: 12 MB of PDF and 20 MB of XML. */
const MAX_LINES = 20_000;
const LIMIT_MS = 30_000;
/** The longest document needs about a third of this. */
const HEAP_MB = 512;
/** Time after which a caller who was turned away may retry. */
const RETRY_SECONDS = 5;

/** Checking this many lines against the rules takes a few milliseconds; a longer document is checked in the thread. */
const MAX_LINES_AT_ONCE = 500;

interface Made {
  bytes: Buffer | null;
  obstacle: Obstacle | undefined;
}

interface Task extends Omit<Order, 'look'> {
  accountId: string;
  done: (made: Made) => void;
  failed: (error: Error) => void;
}

export interface RendererOptions {
  clock: Clock;
  logger: Logger;
  /** Limit for making one document, in milliseconds of the clock. */
  limitMs?: number;
  maxWaiting?: number;
  maxWaitingOfOne?: number;
  look?: DocumentLook;
}

/**
 * Makes documents, one at a time, in a thread that lives as long as there is work. The queue is bounded, in total and
 * per account; a document that takes too much time or memory brings down the thread and nothing else.
 */
export class DocumentRenderer implements DocumentCheck {
  readonly #options: Required<RendererOptions>;
  #waiting: Task[] = [];
  #thread: Worker | undefined;
  readonly #making = new Reconciler({
    run: () => this.#work(),
    // No thread could be started: a request must not wait for it for ever.
    onFailure: (error) => {
      for (const task of this.#waiting.splice(0)) task.failed(error as Error);
    },
  });

  constructor(options: RendererOptions) {
    const bounds = { limitMs: LIMIT_MS, maxWaiting: MAX_WAITING, maxWaitingOfOne: MAX_WAITING_OF_ONE };
    this.#options = { ...bounds, look: PLAIN_LOOK, ...options };
  }

  /**
   * Returns the document's bytes: always the same for the same document. Throws `service_unavailable` if too many are
   * waiting.
   */
  render(accountId: string, document: InvoiceDocument, format: DocumentFormat): Promise<Buffer> {
    const { number, lines } = document;
    if (lines.length > MAX_LINES)
      throw new ApiError(
        'document_unavailable',
        `Invoices with more than ${MAX_LINES} lines are available only as JSON.`,
      );
    if (lines.length <= MAX_LINES_AT_ONCE && format === 'xml') refuse(number, obstacleTo(document));
    return this.#order(accountId, document, format).then(({ bytes, obstacle }) => {
      if (obstacle && obstacle.rules.length > 0)
        this.#options.logger.error(
          { number, rules: obstacle.rules },
          'e-invoice withheld: it breaks official rules',
        );
      if (format === 'xml') refuse(number, obstacle);
      return bytes!;
    });
  }

  /**
   * Checks a document against the rules for e-invoices. A long one is checked in the thread, so that nothing else has
   * to wait.
   */
  async check(accountId: string, document: InvoiceDocument): Promise<Obstacle | undefined> {
    if (document.lines.length <= MAX_LINES_AT_ONCE) return obstacleTo(document);
    return (await this.#order(accountId, document, null)).obstacle;
  }

  #order(accountId: string, document: InvoiceDocument, format: DocumentFormat | null): Promise<Made> {
    const { maxWaiting, maxWaitingOfOne } = this.#options;
    const own = this.#waiting.filter((task) => task.accountId === accountId).length;
    if (this.#waiting.length >= maxWaiting || own >= maxWaitingOfOne)
      throw unavailable('Too many documents are being requested. Try again later.');
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<Made>();
    this.#waiting.push({ accountId, document, format, done, failed });
    this.#making.kick();
    return promise;
  }

  /** Throws `validation_failed` with each field whose text contains letters that the font of documents lacks. */
  async requirePrintable(fields: Record<string, string | null | undefined>): Promise<void> {
    // Loaded with the first form, because starting the service does not need it.
    const { missingLetters } = await import('./letters.ts');
    const problems = Object.entries(fields).flatMap(([field, text]): FieldProblem[] => {
      const missing = missingLetters(text ?? '', this.#options.look.font ?? undefined);
      if (missing.length === 0) return [];
      const message = `contains characters that invoices cannot show: “${missing.join('')}”`;
      return [{ field, code: 'invalid_characters', message }];
    });
    if (problems.length > 0) throw validationFailed(problems);
  }

  /** Fails the waiting documents and ends the thread. */
  async close(): Promise<void> {
    for (const task of this.#waiting.splice(0)) task.failed(unavailable('The service is stopping.'));
    await this.#thread?.terminate();
    await this.#making.idle();
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const thread = this.#start();
      while (this.#thread === thread && this.#waiting.length > 0)
        await this.#make(thread, this.#waiting.shift()!);
      await thread.terminate();
    }
  }

  #start(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    thread.unref();
    thread.once('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    this.#thread = thread;
    return thread;
  }

  async #make(thread: Worker, { accountId, document, format, done, failed }: Task): Promise<void> {
    const { clock, logger, limitMs, look } = this.#options;
    const over = new AbortController();
    const end = () => over.abort();
    thread.once('exit', end);
    clock.sleep(limitMs, over.signal).then(end, () => {});
    try {
      const answered = once(thread, 'message', { signal: over.signal });
      thread.postMessage({ document, format, look } satisfies Order);
      const [answer] = (await answered) as [Answer];
      if ('error' in answer) throw new Error(answer.error);
      done({ bytes: answer.bytes && Buffer.from(answer.bytes), obstacle: answer.obstacle ?? undefined });
    } catch (error) {
      const lost = over.signal.aborted || this.#thread !== thread;
      logger.error({ err: error, account_id: accountId, number: document.number }, 'document not made');
      failed(lost ? unavailable('The document could not be created.') : (error as Error));
      if (lost) await thread.terminate();
    } finally {
      thread.off('exit', end);
      over.abort();
    }
  }
}

function refuse(number: string, obstacle: Obstacle | undefined): void {
  if (!obstacle) return;
  throw new ApiError('document_unavailable', `${number} has no XML: ${obstacle.reason}.`);
}

const unavailable = (message: string) =>
  new ApiError('service_unavailable', message, { retry_after_seconds: RETRY_SECONDS });
