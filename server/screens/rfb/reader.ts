import type { Readable } from 'node:stream';

/** Reads a stream by numbers of bytes. Buffers no more than requested, plus one piece. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #held: Buffer[] = [];
  #length = 0;

  constructor(stream: Readable) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /** Returns exactly `length` bytes; throws if the stream ends earlier. */
  async take(length: number): Promise<Buffer> {
    while (this.#length < length) {
      const { value, done } = await this.#pieces.next();
      if (done) throw new Error('the stream has ended');
      this.#held.push(value);
      this.#length += value.length;
    }
    // Joined once all of them have arrived, because a picture arrives in hundreds of pieces.
    const held = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held, this.#length);
    const rest = held.subarray(length);
    this.#held = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return held.subarray(0, length);
  }

  /** Skips `length` bytes, holding only a piece of them at a time. */
  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) {
      const step = Math.min(left, 16_384);
      await this.take(step);
      left -= step;
    }
  }
}
