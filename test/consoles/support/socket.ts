import { once } from 'node:events';
import { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { type ClientOptions, WebSocket } from 'ws';
import { defer } from '../../support/cleanup.ts';

export interface End {
  code: number;
  reason: string;
}

/** A WebSocket of a console, as a customer's program uses it. */
export class ConsoleSocket {
  readonly ws: WebSocket;
  /** All bytes received so far, as text. */
  text = '';
  /** All text messages received so far, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  readonly messages: any[] = [];
  readonly closed: Promise<End>;
  #wake: () => void = () => {};

  constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('error', () => {});
    ws.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.text += data.toString('latin1');
      else this.messages.push(JSON.parse(data.toString()));
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      ws.on('close', (code, reason) => {
        this.#wake();
        resolve({ code, reason: reason.toString() });
      });
    });
  }

  /** Waits until `found` returns true; rejects if the socket closes first. */
  async until(found: (socket: this) => boolean): Promise<void> {
    while (!found(this)) {
      if (this.ws.readyState === WebSocket.CLOSED)
        throw new Error(`closed, having said: ${this.text.slice(-500)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  says(words: string): Promise<void> {
    return this.until(({ text }) => text.includes(words));
  }

  type(text: string): void {
    this.ws.send(Buffer.from(text), { binary: true });
  }

  resize(cols: number, rows: number): void {
    this.ws.send(JSON.stringify({ type: 'resize', cols, rows }));
  }
}

export interface SocketOptions {
  protocols?: string[];
  headers?: Record<string, string>;
  /** True, the default, if it answers pings. */
  autoPong?: boolean;
  /** The connection to the service, if it is not direct. */
  connection?: ClientOptions;
}

/** Tries to open a socket; returns it, or the status of the refusal. */
export async function attempt(
  t: TestContext,
  url: string,
  { protocols = [], headers = {}, autoPong = true, connection }: SocketOptions = {},
): Promise<ConsoleSocket | number> {
  const ws = new WebSocket(url, protocols, { ...connection, headers, autoPong, perMessageDeflate: false });
  defer(t, () => ws.terminate());
  const socket = new ConsoleSocket(ws);
  const opened = once(ws, 'open').then(() => socket);
  const refused = once(ws, 'unexpected-response').then(([request, response]) => {
    request.destroy();
    return response.statusCode as number;
  });
  // The promise that loses rejects with the other outcome's error.
  opened.catch(() => {});
  refused.catch(() => {});
  return Promise.race([opened, refused]);
}

/** Opens a socket; throws if it is refused. */
export async function open(t: TestContext, url: string, options?: SocketOptions): Promise<ConsoleSocket> {
  const result = await attempt(t, url, options);
  if (typeof result === 'number') throw new Error(`refused with ${result}`);
  return result;
}

/** Returns the bytes of a WebSocket as a stream, for a client that needs its own connection. */
export function bytesOf({ ws, text }: ConsoleSocket): Duplex {
  ws.removeAllListeners('message');
  const stream = new Duplex({
    read: () => ws.resume(),
    write: (chunk, _encoding, done) => ws.send(chunk, { binary: true }, done),
    final: (done) => {
      ws.close();
      done();
    },
  });
  // A server that speaks first may have done so in the packet that opened the WebSocket.
  if (text) stream.push(Buffer.from(text, 'latin1'));
  ws.on('message', (data: Buffer) => stream.push(data) || ws.pause());
  ws.on('close', () => stream.push(null));
  return stream;
}
