import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Reply } from './transport.ts';

/** No reply takes longer. */
const TIMEOUT_MS = 60_000;

/** A connection on which any bytes can be sent. */
export class Wire {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer')));
    // The service may close the connection on bad input; only its replies before that count.
    socket.on('error', () => {});
  }

  static async open(baseUrl: string): Promise<Wire> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Wire(socket);
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** Signals that nothing more will be sent. */
  end(): void {
    this.#socket.end();
  }

  /** Returns the next reply; undefined if the service closed the connection instead. */
  async reply(): Promise<Reply | undefined> {
    for (;;) {
      const taken = takeReply(this.#received);
      if (taken) {
        this.#received = taken.rest;
        return taken.reply;
      }
      const chunk = await this.#read();
      if (!chunk) return undefined;
      this.#received = Buffer.concat([this.#received, chunk]);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  async #read(): Promise<Buffer | undefined> {
    for (;;) {
      const chunk = this.#socket.read() as Buffer | null;
      if (chunk) return chunk;
      if (this.#socket.readableEnded || this.#socket.destroyed) return undefined;
      await Promise.race(['readable', 'end', 'close'].map((event) => once(this.#socket, event)));
    }
  }
}

/** Returns the first complete reply in `bytes` and the bytes after it; undefined if it is not complete. */
function takeReply(bytes: Buffer): { reply: Reply; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const start = end + 4;
  const length = Number(headers['content-length'] ?? 0);
  if (bytes.length < start + length) return undefined;
  const text = bytes.subarray(start, start + length).toString();
  return {
    reply: { status: Number(statusLine.split(' ')[1]), headers, text },
    rest: bytes.subarray(start + length),
  };
}
