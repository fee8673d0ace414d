import type { Readable } from 'node:stream';

/** Reads a stream by the number of bytes; no more is taken from it than was asked for, and one piece on top. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /** Exactly `length` bytes; throws when the stream ends before. */
  async take(length: number): Promise<Buffer> {
    while (this.#held.length < length) {
      const { value, done } = await this.#pieces.next();
      if (done) throw new Error('the stream has ended');
      this.#held = Buffer.concat([this.#held, value]);
    }
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return taken;
  }

  /** Lets `length` bytes go by, holding only a piece of them. */
  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) {
      const step = Math.min(left, 16_384);
      await this.take(step);
      left -= step;
    }
  }
}
