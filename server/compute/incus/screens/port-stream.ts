import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

/** Bytes, or a notice that the receiver can take more. */
type Message = Uint8Array | 'taken';

/**
 * A stream between two threads, with one end on each. The next chunk is sent only after the last one was taken, so that
 * at most one is on its way to a slow reader. Destroying one end destroys the other.
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
    // Viewers' streams must not keep the process alive; the sockets they are piped to do.
    port.unref();
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#sent = done;
    // Transfer a copy: the chunk may be part of a larger buffer, or its memory may be reused.
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
