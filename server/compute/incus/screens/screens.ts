import type { Duplex } from 'node:stream';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Logger } from '../../../platform/logging.ts';
import type { SpiceConnections } from '../../../spice/session.ts';
import { AgentUnavailableError } from '../../driver.ts';
import type { Answer, Order, ScreenKind } from './messages.ts';
import { PortStream } from './port-stream.ts';

/** Memory of the thread: thousands of text screens, each of some tens of kilobytes, and of each viewer an update under way. */
const HEAP_MB = 1_024;
/** Graphical ones at once. The picture of one takes 3 MB as a rule and at most 16 MB, and what comes of it at once as much again. */
const MAX_GRAPHICS = 128;

type Transferable = ArrayBuffer | MessageChannel['port1'];
/** An order without the screen that it is for. */
type Unaddressed = Order extends infer Each ? (Each extends Order ? Omit<Each, 'id'> : never) : never;
type Listener = ScreenListener & { refused(reason: string): void };

/** Events for the owner of a screen that shows a terminal. */
export interface ScreenListener {
  /** So many bytes of what was written are on the screen, and as many more are welcome. */
  written(bytes: number): void;
  typed(text: string): void;
}

/** One screen, for its owner. */
interface Opened {
  /** A connection that speaks RFB from its first byte; it ends with the screen. */
  view(): Duplex;
  close(): void;
}

/** One that shows a terminal. */
export interface Screen extends Opened {
  /** `past`: what was written before there was a viewer, to which the terminal gives no answers any more. */
  write(bytes: Uint8Array, past?: boolean): void;
}

/** One that shows what a graphics card does. */
export interface GraphicsScreen extends Opened {
  /** Connects it to the SPICE server of its guest. The connections end with each other, with it, and where it refuses to go on. */
  attach(): SpiceConnections;
}

/**
 * The screens of guests: terminals and pictures, kept by one thread of their own, in which their viewers are served,
 * too. When it dies (of too much memory, of a defect), so do the connections of all viewers; the next screen gets a new thread.
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

  /** Opens one that shows a terminal. */
  open(name: string, listener: ScreenListener): Screen {
    const { post, opened } = this.#open(name, 'text', { refused() {}, ...listener });
    return {
      ...opened,
      write(chunk, past = false) {
        // A copy of its own: what is sent is moved, and a chunk may be a part of a larger buffer.
        const bytes = new Uint8Array(chunk);
        post({ order: 'write', bytes, past }, bytes.buffer);
      },
    };
  }

  /**
   * Opens one that shows what a graphics card does; `refused` is called where the guest shows what it cannot. Throws
   * {@link AgentUnavailableError} where there are too many.
   */
  openGraphics(name: string, refused: (reason: string) => void): GraphicsScreen {
    if (this.#graphics >= MAX_GRAPHICS)
      throw new AgentUnavailableError('this node shows as many graphical screens as it may');
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

  /** Ends the thread, and with it the connections of all viewers. */
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
    thread.on('error', (error) => this.#logger.warn({ err: error }, 'screens of guests are lost'));
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    return thread;
  }
}
