import { FileError } from './entry.ts';

interface Target {
  /** Bytes that are there already, when appending. */
  size: number;
  /** Those bytes, or null when only their number is known. */
  start: Buffer | null;
  /** Bytes that the disk has room for. */
  room(): number;
  /** Whether the content of a file of this size is kept. */
  keeps(size: number): boolean;
  /** `content` null: the size alone. */
  save(size: number, content: Buffer | null): Promise<void>;
}

/** Takes a file's bytes. What is too large to be kept is counted and let go, so memory stays flat. */
export class FileWriter {
  readonly #target: Target;
  #chunks: Buffer[] | null;
  #size: number;

  constructor(target: Target) {
    this.#target = target;
    this.#chunks = target.start && [target.start];
    this.#size = target.size;
  }

  async write(bytes: Buffer): Promise<void> {
    this.grow(bytes.length);
    // Copied: a stream may use the memory of a chunk again.
    this.#chunks?.push(Buffer.from(bytes));
  }

  /** Adds bytes of which only the number counts. */
  grow(length: number): void {
    if (this.#size + length > this.#target.room()) throw new FileError('No space left on device');
    this.#size += length;
    if (!this.#target.keeps(this.#size)) this.#chunks = null;
  }

  async close(): Promise<void> {
    await this.#target.save(this.#size, this.#chunks && Buffer.concat(this.#chunks));
  }
}
