/** Accepts bytes. `write` resolves when there is space for more, so that a fast writer waits for a slow reader. */
export interface Sink {
  write(bytes: Buffer): Promise<void>;
}

/** Yields bytes until the end. */
export type Source = AsyncIterable<Buffer>;

/** The reader is gone; stands for SIGPIPE. */
export class BrokenPipe extends Error {
  override name = 'BrokenPipe';
}

/** Capacity of a pipe on Linux, in bytes. */
const CAPACITY = 65_536;

export class Pipe implements Sink {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #closed = false;
  #waiting: (() => void)[] = [];

  async write(bytes: Buffer): Promise<void> {
    while (!this.#closed && this.#bytes >= CAPACITY) await this.#changed();
    if (this.#closed) throw new BrokenPipe('broken pipe');
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    this.#wake();
  }

  /** Called when the writer has finished. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Called when the reader has finished. */
  close(): void {
    this.#closed = true;
    this.#chunks = [];
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        while (this.#chunks.length === 0 && !this.#ended && !this.#closed) await this.#changed();
        const chunk = this.#chunks.shift();
        if (!chunk) return;
        this.#bytes -= chunk.length;
        this.#wake();
        yield chunk;
      }
    } finally {
      this.close();
    }
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

export const NOTHING: Source = {
  async *[Symbol.asyncIterator]() {},
};

/** Returns a source of a single text. */
export async function* textSource(text: string): AsyncGenerator<Buffer> {
  if (text) yield Buffer.from(text);
}

export const NOWHERE: Sink = { async write() {} };

/** Keeps the first `limit` bytes and discards the rest. */
export class Collector implements Sink {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.#bytes >= this.#limit) return;
    this.#chunks.push(Buffer.from(bytes.subarray(0, this.#limit - this.#bytes)));
    this.#bytes += bytes.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}
