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

/** Takes a file's bytes. What is too large to be kept is counted and dropped, so memory stays flat. */
export class FileWriter {
  readonly #target: Target;
  #pieces: { at: number; bytes: Buffer }[] | null;
  #size: number;

  constructor(target: Target) {
    this.#target = target;
    this.#pieces = target.start && [{ at: 0, bytes: target.start }];
    this.#size = target.size;
  }

  /** Adds bytes at the end. */
  async write(bytes: Buffer): Promise<void> {
    this.writeAt(this.#size, bytes);
  }

  /** Puts bytes where they belong; those of a file may come in any order. */
  writeAt(at: number, bytes: Buffer): void {
    this.grow(at + bytes.length - this.#size);
    // Copied: a stream may use the memory of a piece again.
    this.#pieces?.push({ at, bytes: Buffer.from(bytes) });
  }

  /** Adds bytes of which only the number counts. */
  grow(length: number): void {
    if (length <= 0) return;
    if (this.#size + length > this.#target.room()) throw new FileError('No space left on device');
    this.#size += length;
    if (!this.#target.keeps(this.#size)) this.#pieces = null;
  }

  async close(): Promise<void> {
    const content = this.#pieces && Buffer.alloc(this.#size);
    for (const { at, bytes } of this.#pieces ?? []) bytes.copy(content!, at);
    await this.#target.save(this.#size, content);
  }
}
