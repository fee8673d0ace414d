import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { systemClock } from '../platform/clock.ts';
import { within } from '../platform/within.ts';
import { readMessages } from './lines.ts';

interface Reply {
  id: number;
  result?: unknown;
  error?: HelperError;
}

export interface HelperError {
  name: string;
  message: string;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface HelperOptions {
  /** The socket that the helper listens on. */
  path: string;
  /** Timeout of a call in milliseconds. */
  callMs: number;
  /** The helper's name for messages: "the host helper". */
  what: string;
  /** Creates the error for an error that the helper reported, or for an unreachable helper. */
  asError(error: HelperError): Error;
}

/**
 * A connection to a privileged helper. Connects on first use, and again after the helper was restarted; calls that it
 * had not answered fail.
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
    // A helper that hangs must not block work that has to be undone or retried.
    const late = () => {
      this.#forget(id);
      return this.#unreachable(`it did not answer ${operation} in ${callMs / 1000} s`);
    };
    return within(systemClock, callMs, this.#ask(id, operation, given), late);
  }

  /** Throws if the helper is not listening. */
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
    // Pending calls keep the process alive, an idle connection does not.
    socket.ref();
    socket.write(`${JSON.stringify({ id, operation, arguments: given })}\n`);
    return reply;
  }

  /** Drops a pending call; a late answer to it is ignored. */
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
    let why = 'it closed the connection';
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
