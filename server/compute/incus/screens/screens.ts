import type { Duplex } from 'node:stream';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Logger } from '../../../platform/logging.ts';
import type { SpiceConnections } from '../../../screens/spice/session.ts';
import { AgentUnavailableError } from '../../driver.ts';
import type { Answer, Order, ScreenKind } from './messages.ts';
import { PortStream } from './port-stream.ts';

/**
 * Memory limit of the thread: thousands of text screens at some tens of kilobytes each, plus a pending update for each
 * viewer.
 */
const HEAP_MB = 1_024;
/**
 * Maximum number of graphical screens. A picture usually takes 3 MB and at most 16 MB, plus as much again for the data
 * derived from it.
 */
const MAX_GRAPHICS = 128;

type Transferable = ArrayBuffer | MessageChannel['port1'];
/** An order without the id of its screen. */
type Unaddressed = Order extends infer Each ? (Each extends Order ? Omit<Each, 'id'> : never) : never;
type Listener = ScreenListener & { refused(reason: string): void };

export interface ScreenListener {
  /** This many of the written bytes are now on the screen, and as many more may be written. */
  written(bytes: number): void;
  typed(text: string): void;
}

interface Opened {
  /** Returns a connection that speaks RFB from its first byte. It ends with the screen. */
  view(): Duplex;
  close(): void;
}

/** A screen that shows a terminal. */
export interface Screen extends Opened {
  /** `past` marks output from before there was a viewer. The terminal must not answer its queries any longer. */
  write(bytes: Uint8Array, past?: boolean): void;
}

export interface GraphicsScreen extends Opened {
  /**
   * Returns connections for the guest's SPICE server. They all end together, when one of them ends, the screen ends, or
   * the screen refuses the guest's output.
   */
  attach(): SpiceConnections;
}

/**
 * The screens of guests, terminals and pictures, kept by a separate thread that also serves their viewers. If the
 * thread dies (out of memory, or a defect), all viewers are disconnected; the next screen starts a new thread.
 */
export class Screens {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #listeners = new Map<number, Listener>();
  #graphics = 0;
  #thread: Worker | undefined;
  #next = 0;

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  open(name: string, listener: ScreenListener): Screen {
    const { post, opened } = this.#open(name, 'text', { refused() {}, ...listener });
    return {
      ...opened,
      write(chunk, past = false) {
        // Transfer a copy: the chunk may be part of a larger buffer, and sending moves the memory.
        const bytes = new Uint8Array(chunk);
        post({ order: 'write', bytes, past }, bytes.buffer);
      },
    };
  }

  /**
   * Opens a graphical screen. `refused` is called if the guest uses something that cannot be shown. Throws
   * {@link AgentUnavailableError} if there are too many screens.
   */
  openGraphics(name: string, refused: (reason: string) => void): GraphicsScreen {
    if (this.#graphics >= MAX_GRAPHICS)
      throw new AgentUnavailableError('this node has reached its maximum number of graphical screens');
    const { post, opened } = this.#open(name, 'graphics', { refused, written() {}, typed() {} });
    this.#graphics++;
    return {
      ...opened,
      attach() {
        const [main, display, inputs] = [new MessageChannel(), new MessageChannel(), new MessageChannel()];
        const theirs = { main: main.port2, display: display.port2, inputs: inputs.port2 };
        post({ order: 'attach', ...theirs }, ...Object.values(theirs));
        return {
          main: new PortStream(main.port1),
          display: new PortStream(display.port1),
          inputs: new PortStream(inputs.port1),
        };
      },
      close: () => {
        this.#graphics--;
        opened.close();
      },
    };
  }

  /** Ends the thread, which disconnects all viewers. */
  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #open(name: string, kind: ScreenKind, listener: Listener) {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const id = ++this.#next;
    this.#listeners.set(id, listener);
    const post = (order: Unaddressed, ...moved: Transferable[]) =>
      thread.postMessage({ ...order, id } as Order, moved);
    post({ order: 'open', name, kind });
    const opened: Opened = {
      view() {
        const { port1, port2 } = new MessageChannel();
        post({ order: 'view', port: port2 }, port2);
        return new PortStream(port1);
      },
      close: () => {
        this.#listeners.delete(id);
        post({ order: 'close' });
      },
    };
    return { post, opened };
  }

  #start(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    thread.unref();
    thread.on('message', (answer: Answer) => {
      const listener = this.#listeners.get(answer.id);
      if (answer.answer === 'written') listener?.written(answer.length);
      else if (answer.answer === 'typed') listener?.typed(answer.text);
      else listener?.refused(answer.reason);
    });
    thread.on('error', (error) =>
      this.#logger.warn({ err: error }, 'the thread that shows screens of guests failed'),
    );
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    return thread;
  }
}
