import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Clock } from '../platform/clock.ts';
import { PeerError } from '../platform/peer/peer-error.ts';
import { within } from '../platform/within.ts';

/** Time limit for connecting. */
export const CONNECT_MS = 10_000;
/**
 * The most a mail server may send before the service says anything. A reply has a few lines of at most 512 bytes (RFC
 * 5321), but in a TLS handshake the server sends its certificates and, if it asks for one of ours, the names of all
 * authorities that it trusts: 16 KiB for those of Debian.
 */
const MAX_UNASKED_BYTES = 128 * 1024;
/** The most line ends it may send: within the bytes above, more of them would occupy the library for seconds. */
const MAX_UNASKED_LINES = 2_000;
const LINE_END = 10;

/**
 * A connection to a mail server that ends as soon as the server sends too much without being asked. The mail library limits
 * the length of a reply, but it queues empty lines without limit and processes them one by one, even after the mail was given
 * up. This is a plain stream rather than a socket, so that the bytes of a TLS connection pass through it too.
 */
class MailConnection extends Duplex {
  readonly #socket: Socket;
  #unasked = { bytes: 0, lines: 0 };

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#unasked.bytes += chunk.length;
      for (const byte of chunk) if (byte === LINE_END) this.#unasked.lines++;
      if (this.#unasked.bytes > MAX_UNASKED_BYTES || this.#unasked.lines > MAX_UNASKED_LINES)
        this.destroy(new PeerError('the mail server', 'sends data without being asked'));
      else if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#unasked = { bytes: 0, lines: 0 };
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // Not before the socket has closed: if a certificate is refused, the library must learn that first.
    const closed = () => done(error);
    if (this.#socket.closed) closed();
    else this.#socket.once('close', closed).destroy();
  }

  /** Emits `timeout` after that many milliseconds of silence, like a socket. The library calls it. */
  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms);
    return this;
  }
}

/** Connects to a mail server. Its bytes are bounded; see {@link MailConnection}. */
export async function connectMailServer(clock: Clock, host: string, port: number): Promise<Duplex> {
  const socket = connect({ host, port, noDelay: true, keepAlive: true });
  try {
    const late = () => new Error(`no connection within ${CONNECT_MS / 1000} s`);
    await within(clock, CONNECT_MS, once(socket, 'connect'), late);
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  }
  return new MailConnection(socket);
}
