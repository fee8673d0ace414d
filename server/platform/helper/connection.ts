import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { systemClock } from '../clock.ts';
import { within } from '../within.ts';
import { readMessages } from './lines.ts';

interface Reply {
  id: number;
  result?: unknown;
  error?: HelperError;
}

/** An error as a helper reports it. */
export interface HelperError {
  name: string;
  message: string;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface HelperOptions {
  /** The socket that the helper listens at. */
  path: string;
  /** How long it may take for anything. */
  callMs: number;
  /** Who that is, for messages: "the host helper". */
  what: string;
  /** Makes an error of what the helper told, or of that it cannot be reached. */
  asError(error: HelperError): Error;
}

/**
 * A connection to a helper with privileges. Connects when first asked, and again after the helper was restarted; what
 * it had not answered fails.
 */
export class HelperConnection {
  readonly #options: HelperOptions;
  readonly #waiting = new Map<number, Waiting>();
  #connection: Promise<Socket> | undefined;
  #lastId = 0;

  constructor(options: HelperOptions) {
    this.#options = options;
  }

  call(operation: string, given: object): Promise<unknown> {
    const { callMs } = this.#options;
    const id = ++this.#lastId;
    // A helper that hangs must not keep what has to be undone, or tried again, from that.
    const late = () => {
      this.#forget(id);
      return this.#unreachable(`it did not answer ${operation} in ${callMs / 1000} s`);
    };
    return within(systemClock, callMs, this.#ask(id, operation, given), late);
  }

  /** Throws where the helper does not listen. */
  async reachable(): Promise<void> {
    const socket = await this.#connected();
    if (this.#waiting.size === 0) socket.unref();
  }

  async close(): Promise<void> {
    const socket = await this.#connection?.catch(() => undefined);
    socket?.destroy();
  }

  async #ask(id: number, operation: string, given: object): Promise<unknown> {
    const socket = await this.#connected();
    const reply = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // Work under way keeps the process alive, an idle connection does not.
    socket.ref();
    socket.write(`${JSON.stringify({ id, operation, arguments: given })}\n`);
    return reply;
  }

  /** A later answer is dropped. */
  #forget(id: number): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#connection?.then((socket) => socket.unref()).catch(() => {});
  }

  #connected(): Promise<Socket> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  async #open(): Promise<Socket> {
    const socket = connect(this.#options.path);
    let why = 'it ended the connection';
    socket.on('error', (error) => {
      why = error.message;
    });
    socket.on('close', () => {
      this.#connection = undefined;
      for (const { reject } of this.#waiting.values()) reject(this.#unreachable(why));
      this.#waiting.clear();
    });
    try {
      await once(socket, 'connect');
    } catch (error) {
      throw this.#unreachable((error as Error).message);
    }
    readMessages(socket, this.#options.what, (message) => this.#settle(socket, Object(message)));
    return socket;
  }

  #settle(socket: Socket, { id, result, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) socket.unref();
    if (error) waiting?.reject(this.#options.asError(error));
    else waiting?.resolve(result);
  }

  #unreachable(why: string): Error {
    const { what, asError } = this.#options;
    return asError({ name: 'Unreachable', message: `${what} cannot be reached: ${why}` });
  }
}
