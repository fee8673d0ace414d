/** Takes bytes; resolves when there is room for more, so that a fast writer waits for a slow reader. */
export interface Sink {
  write(bytes: Buffer): Promise<void>;
}

/** Gives bytes until the end. */
export type Source = AsyncIterable<Buffer>;

/** The reader has gone: what SIGPIPE says. */
export class BrokenPipe extends Error {
  override name = 'BrokenPipe';
}

/** As much as a pipe of Linux holds. */
const CAPACITY = 65_536;

/** A pipe between two commands. */
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

  /** The writer has finished. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The reader has finished. */
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

/** A source with nothing in it. */
export const NOTHING: Source = {
  async *[Symbol.asyncIterator]() {},
};

/** A source of one piece of text. */
export async function* textSource(text: string): AsyncGenerator<Buffer> {
  if (text) yield Buffer.from(text);
}

/** Lets bytes go. */
export const NOWHERE: Sink = { async write() {} };

/** Keeps up to `limit` bytes and lets the rest go. */
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
