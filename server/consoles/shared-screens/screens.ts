import { Worker } from 'node:worker_threads';
import type { Logger } from '../../platform/logging.ts';
import { SCREENS_ANSWER_MS, SCREENS_HEAP_MB } from '../limits.ts';
import type { TerminalSize } from '../terminal.ts';
import type { Answer, Order } from './messages.ts';

/** Events for the owner of a screen, in the order of its requests. */
export interface ScreenListener {
  /** The oldest pending chunk is now on the screen. */
  written(): void;
  /** The screen with exactly those chunks that {@link written} has reported. */
  picture(bytes: Buffer): void;
  /** The thread has ended, and the screen with it. */
  lost(): void;
}

/** One screen, for its owner. Requests after {@link close} or `lost` get no answer. */
export interface Screen {
  write(chunk: Uint8Array): void;
  resize(size: TerminalSize): void;
  draw(): void;
  close(): void;
}

export interface ScreensOptions {
  logger: Logger;
  heapMb?: number;
  answerMs?: number;
}

/**
 * The screens of this node's shared shells. A terminal takes a millisecond for each 20 KB, and a tenth of a second to
 * draw whenever a viewer causes that. So all of them live in a separate thread. If the thread dies (out of memory, a
 * bug, or a request that it does not answer), every screen is lost; the next one to open gets a new thread.
 */
export class Screens {
  readonly #options: Required<ScreensOptions>;
  readonly #listeners = new Map<number, ScreenListener>();
  #thread: Worker | undefined;
  #next = 0;
  /** When the last ping was sent, by the host's clock; undefined once the thread has answered. */
  #pingedAt: number | undefined;

  constructor({ heapMb = SCREENS_HEAP_MB, answerMs = SCREENS_ANSWER_MS, logger }: ScreensOptions) {
    this.#options = { heapMb, answerMs, logger };
  }

  open({ cols, rows }: TerminalSize, listener: ScreenListener): Screen {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const id = ++this.#next;
    this.#listeners.set(id, listener);
    // Requests of a lost screen must not reach the next thread.
    const post = (order: Order, transfer: ArrayBuffer[] = []) => {
      if (this.#listeners.has(id)) thread.postMessage(order, transfer);
    };
    post({ order: 'open', id, cols, rows });
    return {
      write: (chunk) => {
        // Copied, because the sent buffer is transferred, and a chunk may be part of a larger one.
        const bytes = new Uint8Array(chunk);
        post({ order: 'write', id, bytes }, [bytes.buffer]);
      },
      resize: (size) => post({ order: 'resize', id, cols: size.cols, rows: size.rows }),
      draw: () => post({ order: 'draw', id }),
      close: () => {
        post({ order: 'close', id });
        this.#listeners.delete(id);
      },
    };
  }

  /** Ends a thread that has hung. Called every few seconds. */
  async check(): Promise<void> {
    if (!this.#thread) return;
    if (this.#pingedAt === undefined) {
      this.#pingedAt = performance.now();
      this.#thread.postMessage({ order: 'ping' } satisfies Order);
    } else if (performance.now() - this.#pingedAt >= this.#options.answerMs) await this.#thread.terminate();
  }

  /** Ends the thread; the owners of its screens are notified that they are lost. */
  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const { heapMb, logger } = this.#options;
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    thread.unref();
    thread.on('message', (answer: Answer) => this.#hear(answer));
    thread.on('error', (error) => logger.error({ err: error }, 'shared screens lost'));
    thread.on('exit', () => this.#lose(thread));
    return thread;
  }

  #hear(answer: Answer): void {
    if (answer.answer === 'pong') {
      this.#pingedAt = undefined;
      return;
    }
    const listener = this.#listeners.get(answer.id);
    if (answer.answer === 'written') listener?.written();
    else listener?.picture(Buffer.from(answer.bytes.buffer));
  }

  #lose(thread: Worker): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#pingedAt = undefined;
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) listener.lost();
  }
}
