import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

/** What one end says to the other: bytes, or that it has room for more. */
type Message = Uint8Array | 'taken';

/**
 * A connection between two threads, of which each has one end on its port. A piece of bytes is sent once the piece before has
 * been taken, so that no more than one is under way to a slow reader; an end that is destroyed takes the other with it.
 */
export class PortStream extends Duplex {
  readonly #port: MessagePort;
  #sent: (() => void) | undefined;
  #isOwed = false;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('message', (message: Message) => this.#hear(message));
    port.once('close', () => this.destroy());
    // The streams of viewers keep no process alive: what they are joined to does.
    port.unref();
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#sent = done;
    // A copy of its own, which is moved: a piece may be a part of a larger buffer, or its memory be used again.
    const copy = new Uint8Array(bytes);
    this.#port.postMessage(copy satisfies Message, [copy.buffer]);
  }

  override _read(): void {
    if (!this.#isOwed) return;
    this.#isOwed = false;
    this.#port.postMessage('taken' satisfies Message);
  }

  override _final(done: () => void): void {
    done();
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#port.close();
    done(error);
  }

  #hear(message: Message): void {
    if (message === 'taken') {
      const sent = this.#sent;
      this.#sent = undefined;
      sent?.();
      return;
    }
    this.#isOwed = true;
    if (this.push(Buffer.from(message.buffer, message.byteOffset, message.length))) this._read();
  }
}
