import type { Duplex } from 'node:stream';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Logger } from '../../../platform/logging.ts';
import type { Answer, Order } from './messages.ts';
import { PortStream } from './port-stream.ts';

/** Memory of the thread: thousands of screens, each of some tens of kilobytes, and of each viewer an update under way. */
const HEAP_MB = 1_024;

/** Events for the owner of a screen. */
export interface ScreenListener {
  /** So many bytes of what was written are on the screen, and as many more are welcome. */
  written(bytes: number): void;
  typed(text: string): void;
}

/** One screen, for its owner. */
export interface Screen {
  /** `past`: what was written before there was a viewer, to which the terminal gives no answers any more. */
  write(bytes: Uint8Array, past?: boolean): void;
  /** A connection that speaks RFB from its first byte; it ends with the screen. */
  view(): Duplex;
  close(): void;
}

/**
 * The screens of guests whose consoles are text: terminals, kept by one thread of their own, in which their viewers are served,
 * too. When it dies (of too much memory, of a defect), so do the connections of all viewers; the next screen gets a new thread.
 */
export class Screens {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #listeners = new Map<number, ScreenListener>();
  #thread: Worker | undefined;
  #next = 0;

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  open(name: string, listener: ScreenListener): Screen {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const id = ++this.#next;
    this.#listeners.set(id, listener);
    const post = (order: Order, ...moved: (ArrayBuffer | MessageChannel['port1'])[]) =>
      thread.postMessage(order, moved);
    post({ order: 'open', id, name });
    return {
      write(chunk, past = false) {
        // A copy of its own: what is sent is moved, and a chunk may be a part of a larger buffer.
        const bytes = new Uint8Array(chunk);
        post({ order: 'write', id, bytes, past }, bytes.buffer);
      },
      view() {
        const { port1, port2 } = new MessageChannel();
        post({ order: 'view', id, port: port2 }, port2);
        return new PortStream(port1);
      },
      close: () => {
        this.#listeners.delete(id);
        post({ order: 'close', id });
      },
    };
  }

  /** Ends the thread, and with it the connections of all viewers. */
  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    thread.unref();
    thread.on('message', (answer: Answer) => {
      const listener = this.#listeners.get(answer.id);
      if (answer.answer === 'written') listener?.written(answer.length);
      else listener?.typed(answer.text);
    });
    thread.on('error', (error) => this.#logger.warn({ err: error }, 'screens of guests are lost'));
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    return thread;
  }
}
