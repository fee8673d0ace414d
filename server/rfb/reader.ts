import type { Readable } from 'node:stream';

/** Reads a stream by the number of bytes; no more is taken from it than was asked for, and one piece on top. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #held: Buffer[] = [];
  #length = 0;

  constructor(stream: Readable) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /** Exactly `length` bytes; throws when the stream ends before. */
  async take(length: number): Promise<Buffer> {
    while (this.#length < length) {
      const { value, done } = await this.#pieces.next();
      if (done) throw new Error('the stream has ended');
      this.#held.push(value);
      this.#length += value.length;
    }
    // Joined once they are all there: a picture comes in hundreds of pieces.
    const held = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held, this.#length);
    const rest = held.subarray(length);
    this.#held = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return held.subarray(0, length);
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
